# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The performance model beside measurements, from the JSON of `benchmarks/model.py`.

Figures 17, 19 and 20 of the Lux paper (VLDB 2017), as far as the JSON has them: for CPU cores or GPUs, one process or
several. A measured iteration belongs to no single run: each is the median of the runs, or in older results the fastest
of them, as the small print says.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from benchmarks.figures import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Rows = list[dict[str, Any]]
TITLES = {"pagerank": "PageRank", "components": "components", "sssp": "shortest paths", "bfs": "breadth-first search"}
BARS = (
    ("predicted", "load", {"color": style.LIGHT, "hatch": "....."}),
    ("predicted", "kernel", {"color": style.LIGHT}),
    ("predicted", "transfer", {"color": style.LIGHT, "hatch": "xxxxx"}),
    ("predicted", "launch", {"color": style.LIGHT, "hatch": "/////"}),
    ("measured", "load", {"color": style.DARK, "hatch": "....."}),
    ("measured", "kernel", {"color": style.DARK}),
    ("measured", "transfer", {"color": style.DARK, "hatch": "xxxxx"}),
    ("measured", "launch", {"color": style.DARK, "hatch": "/////"}),
)
NAMES = {"load": "gathering", "kernel": "kernels", "transfer": "between processes"}
NAMES |= {"launch": "launches and the run's start"}
SHORT = {"device": "", "peer": "peer", "zero-copy": "0-copy"}
"""Placements below bars."""
MOST = 12
"""Maximum of configurations in a panel; of more, only the ones on one GPU and on all are drawn."""


def steps(document: dict[str, Any]) -> Figure:
    """Draw Figure 20: each configuration's step of an iteration, predicted beside measured, in ms.

    Factorizations are left out, as they use other graphs than the other programs.
    """
    drawn = [r for r in document["rows"] if r["program"] in TITLES]
    graphs, programs = _names(drawn, "graph"), _names(drawn, "program")
    size = (3.1 * len(programs), 1.75 * len(graphs) + 0.6)
    figure, panels = style.panels(len(graphs), len(programs), size, _source(document))
    of = {key: list(rows) for key, rows in groupby(drawn, lambda r: (r["graph"], r["program"]))}
    for panel, key in zip(panels, [(g, p) for g in graphs for p in programs], strict=True):
        if key in of:
            _steps(panel, _ends(of[key]))
            panel.set(title=f"{TITLES[key[1]]}, {key[0]}", ylabel="ms / iteration")
        else:
            panel.axis("off")
            panel.text(0, 0.9, f"{TITLES[key[1]]}, {key[0]}:\nnot measured", va="top")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=2)
    return figure


def _ends(rows: Rows) -> Rows:
    """Return all rows, or of many the ones with the least and the most GPUs.

    >>> [r["parts"] for r in _ends([{"parts": p} for p in (1, 2, 2, 4, 8) for _ in range(3)])]
    [1, 1, 1, 8, 8, 8]
    """
    ends = {f(r["parts"] or 1 for r in rows) for f in (min, max)}
    return rows if len(rows) <= MOST else [r for r in rows if r["parts"] in ends]


def _steps(panel: Axes, rows: Rows) -> None:
    places = dict(zip(("predicted", "measured"), style.positions(len(rows), 2, 0.38), strict=True))
    below = {"predicted": [0.0] * len(rows), "measured": [0.0] * len(rows)}
    for which, step, look in BARS:
        if step not in rows[0][which]:
            continue
        heights = [1e3 * r[which][step] for r in rows]
        label = f"{which}: {NAMES[step]}"
        panel.bar(places[which], heights, 0.38, below[which], edgecolor="white", linewidth=0.3, label=label, **look)
        below[which] = [b + h for b, h in zip(below[which], heights, strict=True)]
    size = 6.5 if len(rows) <= 6 else 4.5
    panel.set_xticks(range(len(rows)), [f"{r['model']}\n{layout(r)}" for r in rows], fontsize=size)
    panel.tick_params(axis="x", length=0)


def layout(row: dict[str, Any]) -> str:
    """Name the partitions or threads of a row, or its GPUs and placement.

    >>> layout({"parts": None, "workers": 2}), layout({"parts": 1, "workers": 1})
    ('2 threads', '1 part')
    >>> layout({"parts": 2, "workers": 2, "placement": "peer"}).split()
    ['2', 'GPUs', 'peer']
    >>> layout({"parts": 2, "workers": 2, "nodes": 2, "per_node": 1}).splitlines()
    ['2 processes', '1 part each']
    """
    if "nodes" in row:
        where = SHORT[row["placement"]] or "device" if "placement" in row else ""
        each = f"{row['per_node']} {'GPU' if where else 'part'}" + "s" * (row["per_node"] > 1)
        return f"{row['nodes']} processes\n{each} each" + (f"\n{where}" if where else "")
    if "placement" in row:
        where = SHORT[row["placement"]] or ("device" if row["parts"] > 1 else "")
        return f"{row['parts']} GPU" + "s" * (row["parts"] > 1) + (f"\n{where}" if where else "")
    if row["parts"] is None:
        return f"{row['workers']} threads"
    return f"{row['parts']} part" + "s" * (row["parts"] > 1)


def ranks(rows: Rows) -> list[tuple[str, str, int, list[float], int]]:
    """Return, for each graph and program, the measured rank of the configuration that the model predicts fastest.

    Returns
    -------
    list of (graph, program, rank, ratios, chosen)
        Rank 1 is the fastest. Ratios of the measured times to the fastest, one a configuration; chosen is the place
        of the model's choice in them.
    """
    found = []
    groups: dict[tuple[str, str], Rows] = {}
    for row in rows:  # methods of factorization differ in their results
        program = row["program"] if row["program"] in TITLES else f"{row['program']} ({row['model']})"
        groups.setdefault((row["graph"], program), []).append(row)
    for (graph, program), group in groups.items():
        times = [r["measured"]["all"] for r in group]
        chosen = min(range(len(group)), key=lambda k: group[k]["predicted"]["all"])
        rank = 1 + sum(t < times[chosen] for t in times)
        found.append((graph, program, rank, [t / min(times) for t in times], chosen))
    return found


def choices(document: dict[str, Any]) -> Figure:
    """Draw Figure 17: measured times of all configurations over the fastest, and the model's choice."""
    found = ranks([*document["rows"], *document.get("one_process", {"rows": []})["rows"]])
    figure, (panel,) = style.panels(1, 1, (7.0, 0.24 * len(found) + 1.3), _source(document))
    for y, (_, _, rank, ratios, chosen) in enumerate(found):
        others = [r for k, r in enumerate(ratios) if k != chosen]
        panel.plot(others, [y] * len(others), "o", mfc="white", mec=style.MIDDLE, label="" if y else "measured")
        panel.plot([ratios[chosen]], [y], "D", color=style.DARK, label="" if y else "measured, and chosen by the model")
        panel.text(1.01, y, f"{rank} of {len(ratios)}", transform=panel.get_yaxis_transform(), va="center")
    panel.set_yticks(range(len(found)), [f"{TITLES.get(program, program)}, {graph}" for graph, program, *_ in found])
    panel.set(xlabel="time of an iteration / that of the fastest configuration", ylim=(len(found) - 0.5, -0.5))
    panel.set_xlim(left=0.9)
    panel.text(1.01, -1, "rank of the choice", transform=panel.get_yaxis_transform(), va="center")
    panel.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2)
    return figure


def pull_and_push(document: dict[str, Any]) -> Figure:
    """Draw Figure 19 for the mean iteration: one task with all cores, or one GPU, pulls and pushes."""
    rows = [r for r in document["rows"] if r["parts"] is None or _one_gpu(r)]
    programs = _names(rows, "program")
    figure, panels = style.panels(1, len(programs), (3.1 * len(programs), 2.8), _source(document))
    for panel, program in zip(panels, programs, strict=True):
        of = [r for r in rows if r["program"] == program]
        graphs = _names(of, "graph")
        pushed = {"color": style.LIGHT, "hatch": "/////", "edgecolor": style.DARK}
        looks = {"pull": {"color": style.DARK}, "push": pushed}
        for (model, look), at in zip(looks.items(), style.positions(len(graphs), 2, 0.38), strict=True):
            times = {r["graph"]: 1e3 * r["measured"]["all"] for r in of if r["model"] == model}
            panel.bar(at, [times[g] for g in graphs], 0.38, label=model, **look)
        panel.set(title=TITLES[program], ylabel="ms per iteration")
        panel.set_xticks(range(len(graphs)), graphs, rotation=30, ha="right", fontsize=7)
        panel.tick_params(axis="x", length=0)
    panels[0].legend(loc="upper left")
    return figure


def each_iteration(document: dict[str, Any]) -> Figure | None:
    """Draw Figure 19 for each iteration on one GPU that pulls, and that pushes; None if not known."""
    rows = [r for r in document["rows"] if "each" in r and _one_gpu(r) and r["program"] in ("pagerank", "components")]
    if not rows:
        return None
    graphs, programs = _names(rows, "graph"), _names(rows, "program")
    size = (3.1 * len(programs), 1.6 * len(graphs) + 0.5)
    figure, panels = style.panels(len(graphs), len(programs), size, _source(document))
    for panel, (graph, program) in zip(panels, [(g, p) for g in graphs for p in programs], strict=True):
        looks = {"pull": {"color": style.DARK}, "push": {"color": style.LIGHT, "linestyle": "--"}}
        for r in rows:
            if (r["graph"], r["program"]) == (graph, program):
                times = [1e3 * t for t in r["each"]["seconds"]]
                panel.plot(range(1, len(times) + 1), times, marker=".", label=r["model"], **looks[r["model"]])
        panel.set(title=f"{TITLES[program]}, {graph}", ylabel="ms", ylim=(0, None))
    panels[0].legend()
    return figure


def _source(document: dict[str, Any]) -> str:
    return f"{style.source(document)}; iterations are {document.get('measured', 'the fastest of the runs')}"


def _one_gpu(row: dict[str, Any]) -> bool:
    return row.get("placement") == "device" and row["parts"] == 1


def _names(rows: Rows, key: str) -> list[str]:
    return list(dict.fromkeys(r[key] for r in rows))
