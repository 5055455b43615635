# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Report of a run as one HTML page, without scripts and other files: ``--report run.html``."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lux.app import report
from lux.app.application import Summary
from lux.errors import ConfigurationError
from lux.io.files.atomic import write_text
from lux.results import plot

if TYPE_CHECKING:
    from lux.results.result import Result

STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "table{border-collapse:collapse;margin:.5rem 0 1.5rem}td,th{padding:.2rem .8rem;border-bottom:1px solid #ddd;"
    "text-align:right}th{text-align:left;font-weight:600}svg{max-width:100%;height:auto}h2{margin-top:2rem}"
)
MOST_ITERATIONS = 200
"""Iterations that the table has."""


def pictures(result: Result) -> list[tuple[str, str]]:
    """Draw the run; titles and SVG. Every process calls it, as values are read; empty without Matplotlib."""
    drawn: list[tuple[str, Callable[[], Any]]] = [("Values", result.plot)]
    drawn += [("Frontier", lambda: plot.frontier(result)), ("Balance", lambda: plot.balance(result))]
    try:
        plot.axes()
    except ConfigurationError:
        return []
    scalar = result.main.length is None
    return [(title, plot.svg(make())) for title, make in drawn if scalar or title != "Values"]


def write(path: str, found: dict[str, Any], summary: Summary, drawn: Iterable[tuple[str, str]]) -> None:
    """Write the page; an existing file is replaced when all is written.

    Parameters
    ----------
    path : str
    found : dict
        The report for JSON (`lux.app.report.facts`), with statistics.
    summary : Summary
    drawn : iterable of (str, str)
        Titles and SVG of pictures.
    """
    title = f"lux {found['app']}: {found['graph']['name']}"
    parts = [f"<h1>{html.escape(title)}</h1>", _pairs(report.rows(found, summary))]
    parts += [f"<h2>{html.escape(name)}</h2>{image}" for name, image in drawn]
    tables = [*summary.tables.items(), (summary.title, summary.listing)]
    parts += [f"<h2>{html.escape(name.capitalize())}</h2>{_table(rows)}" for name, rows in tables if rows]
    steps = report.iteration_rows(found.get("statistics", []), found.get("statistics_left_out"))
    parts += [f"<h2>Iterations</h2>{_table(steps[:MOST_ITERATIONS])}"] if steps else []
    more = len(steps) - MOST_ITERATIONS
    parts += [f"<p>... and {more:,} more</p>"] if more > 0 else []
    page = (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f"<style>{STYLE}</style></head><body>{''.join(parts)}</body></html>\n"
    )
    write_text(Path(path), page)


def _pairs(rows: Mapping[str, Any]) -> str:
    cells = [
        f"<tr><th>{html.escape(name)}</th><td>{html.escape(report.cell(value, name))}</td></tr>"
        for name, value in rows.items()
        if value not in ("", None)
    ]
    return f"<table>{''.join(cells)}</table>"


def _table(rows: list[dict[str, Any]]) -> str:
    head = "".join(f"<th>{html.escape(key.replace('_', ' '))}</th>" for key in rows[0])
    body = ["".join(f"<td>{html.escape(report.cell(v, key))}</td>" for key, v in row.items()) for row in rows]
    return f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in body)}</table>"
