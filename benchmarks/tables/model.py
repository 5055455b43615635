# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The performance model beside measurements, from the JSON of `benchmarks/model.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import median
from typing import Any

from benchmarks.model_tables import NEAR, rules
from benchmarks.tables import percent, table

Rows = list[dict[str, Any]]
PROGRAMS = {"pagerank": "PageRank", "components": "components", "sssp": "shortest paths"}
METHODS = {"als": "least squares", "gd": "gradient descent"}
AIMS = {"pull": 0.2, "push": 0.35}


def errors(document: dict[str, Any]) -> str:
    """Make the table of errors of all configurations that pull, and of those that push."""
    rows = []
    for title, model, key in (*((m, m, "error") for m in AIMS), ("push, given the run's own frontier", "push", GIVEN)):
        of = _errors(_of(document, lambda r, model=model: r["model"] == model), key)
        rows.append([f"{len(of)} that {title}", percent(median(of)), percent(max(of)), f"{sum(e <= 0.2 for e in of)}"])
    return table(["", "median error", "largest", "within 20 %"], rows)


GIVEN = "error_with_frontier"


def layouts(document: dict[str, Any]) -> str:
    """Make the table of errors of factorizations on CPU cores: median and largest."""
    columns = {"1 partition": 1, "1 task, 2 cores": None, "2 partitions": 2}
    rows = [
        [
            name,
            *(_ends(_of(document, lambda r, m=m, p=p: (r["model"], r["parts"]) == (m, p))) for p in columns.values()),
        ]
        for m, name in METHODS.items()
    ]
    return table(["", *columns], rows)


def programs(document: dict[str, Any]) -> str:
    """Make the table of errors of vertex programs of several processes, in each placement; percent."""
    placed = list(dict.fromkeys(r.get("placement", "") for r in document["rows"]))
    columns = [(placement, model) for placement in placed for model in AIMS]
    head = [", ".join(filter(None, column)) for column in columns]
    rows = [
        [PROGRAMS[p], *(_ends(_of(document, _is(p, model, placement))) for placement, model in columns)]
        for p in PROGRAMS
    ]
    return table([_processes(document), *head], rows)


def _is(program: str, model: str, placement: str) -> Callable[[dict[str, Any]], bool]:
    return lambda r: (r["program"], r["model"], r.get("placement", "")) == (program, model, placement)


def factors(document: dict[str, Any]) -> str:
    """Make the table of errors of factorizations of several processes, by K; percent."""
    ks = (20, 50)
    rows = [
        [
            name,
            *(_ends(_of(document, lambda r, m=m, k=k: r["model"] == m and r["program"].endswith(f" {k}"))) for k in ks),
        ]
        for m, name in METHODS.items()
    ]
    return table([_processes(document), *(f"K = {k}" for k in ks)], rows)


def _processes(document: dict[str, Any]) -> str:
    row = document["rows"][0]
    each = f"{row['per_node']} {'GPU' if 'placement' in row else 'core'}" + "s" * (row["per_node"] > 1)
    return f"{row['nodes']} processes x {each}"


def placements(document: dict[str, Any], key: str) -> str:
    """Make the table of errors of vertex programs on GPUs, in each placement; ``key`` is error or error_first."""
    columns = list(dict.fromkeys((r["parts"], r["placement"]) for r in _vertex_programs(document)))
    rows = [
        [
            f"{title}, {model}",
            *(
                _ends(_of(document, lambda r, p=p, m=model, c=c: _is(p, m, c[1])(r) and r["parts"] == c[0]), key)
                for c in columns
            ),
        ]
        for p, title in PROGRAMS.items()
        for model in AIMS
    ]
    head = [f"{n} GPU" + "s" * (n > 1) if k == 0 else f"{n}, {where}" for k, (n, where) in enumerate(columns)]
    return table(["", *head], rows)


def aims(document: dict[str, Any]) -> str:
    """Make the table of how many errors on GPUs are within their aim, first and again."""
    rows = []
    for model, aim in AIMS.items():
        every = _of(document, lambda r, model=model: r["model"] == model and r["program"] in PROGRAMS)
        some = [r for r in every if r["placement"] != "device" or r["parts"] == 1]
        whole = list(map(_error_of_run, every))
        title = f"{len(every)} that {model}, aim {percent(aim)}"
        rows.append([title, *_within(every, "error_first", aim), *_within(every, "error", aim)])
        rows[-1].append(str(sum(e <= aim for e in whole)))
        title = f"of them {len(some)}, all but `device` on several GPUs"
        rows.append([title, *_within(some, "error_first", aim), *_within(some, "error", aim), ""])
    given = _of(document, lambda r: r["model"] == "push" and r["program"] in PROGRAMS)
    rows.append(["push, given the run's own frontier", "", "", "", *_within(given, GIVEN, AIMS["push"]), ""])
    head = [
        "",
        "median, first",
        "largest",
        "within the aim",
        "median, again",
        "largest",
        "within the aim",
        "whole runs",
    ]
    return table(head, rows)


def _within(rows: Rows, key: str, aim: float) -> list[str]:
    of = _errors(rows, key)
    return [percent(median(of)), percent(max(of)), str(sum(e <= aim for e in of))]


def ratings(document: dict[str, Any]) -> str:
    """Make the table of errors of factorizations on one GPU and on more."""
    found: dict[tuple[str, str], dict[str, Rows]] = {}
    for r in document["rows"]:
        if r["model"] in METHODS:
            of = found.setdefault((r["graph"], r["program"].split()[-1]), {})
            of.setdefault(r["model"], []).append(r)
    rows = []
    for (graph, k), of in found.items():
        each = [sorted(of[m], key=lambda r: int(r["parts"])) for m in METHODS]
        shown = (", ".join(f"{100 * r['error']:+.0f}" for r in one) + " %" for one in each)
        users, number, *_ = graph.split(":")
        vertices = sum(map(int, users.split("x")))
        rows.append([f"{int(number) / 1e6:.0f} million, {vertices:,} vertices", k, *shown])
    return table(["ratings", "K", *METHODS.values()], rows)


def overflow(document: dict[str, Any]) -> str:
    """Make the table of edges that are not in GPUs' memory: predicted and measured, of each graph."""
    found: dict[tuple[bool, float], Rows] = {}
    for r in document["beside"]:
        c = r["configuration"]
        found.setdefault((bool(c["cpus"]), round(c["cpu_share"] or c["overflow"], 2)), []).append(r)
    rows = []
    for (on_cores, share), of in found.items():
        name = f"{percent(share)} on cores" if on_cores else f"{percent(share)} of the edges overflow"
        pairs = [_pairs(of, "gpus"), _pairs(of, "cores") if on_cores else "", _pairs(of, "all")]
        rows.append([name, *pairs, ", ".join(percent(r["error"], "+") for r in of)])
    head = ["", "GPUs, predicted and measured, ms", "cores", "iteration, all that a run takes included", "error"]
    return table(head, rows)


def _pairs(rows: Rows, side: str) -> str:
    return "; ".join(f"{1e3 * r['predicted'][side]:.2f}, {1e3 * r['measured'][side]:.2f}" for r in rows)


HEAD = ["of vertex programs", "rule", f"within {percent(NEAR)} of the best", "at worst slower by"]


def choices(*documents: dict[str, Any]) -> str:
    """Make the table of choices: the model's, beside the best rule that always takes the same configuration."""
    return table(HEAD, [row for document in documents for row in _rule_rows(document)])


def _rule_rows(document: dict[str, Any]) -> Iterable[Sequence[str]]:
    found = rules([*document["rows"], *document.get("one_process", {"rows": []})["rows"]])
    assert found is not None
    for title, one in zip((_machine(document), ""), found, strict=True):
        yield [title, one.name, f"{one.within} of {one.of}", percent(one.worst)]


def _machine(document: dict[str, Any]) -> str:
    gpus, processes = document.get("gpus", []), document["machine"].get("processes", 1)
    machine, several = document["machine"], f", {processes} processes" if processes > 1 else ""
    name = f"{len(gpus)} x {gpus[0]['name']}" if gpus else f"{machine['cpu']}, {machine['cores']} cores"
    return name + several


def _vertex_programs(document: dict[str, Any]) -> Rows:
    return _of(document, lambda r: r["program"] in PROGRAMS)


def _of(document: dict[str, Any], wanted: Callable[[dict[str, Any]], bool]) -> Rows:
    return [r for r in document["rows"] if wanted(r)]


def _errors(rows: Rows, key: str) -> list[float]:
    return [abs(r[key]) for r in rows]


def _ends(rows: Rows, key: str = "error") -> str:
    """Return median and largest, in percent."""
    of = [100 * e for e in _errors(rows, key)]
    return f"{median(of):.0f}, {max(of):.0f}" if of else ""


def others(document: dict[str, Any]) -> str:
    """Say how many cores other processes kept busy."""
    return f"{document['others_cores']:.2f} of {document['machine']['cores_allowed']}"


def near(document: dict[str, Any], slower: str, which: str = "choices") -> str:
    """Say how many choices took at most so much longer than the best, also for factorizations alone."""
    found = [c["slower"] for c in document[which] if c["of"] > 1]
    return f"{sum(more <= float(slower) for more in found)} of {len(found)}"


def aims_met(document: dict[str, Any]) -> str:
    """Say how many errors of vertex programs are within their aim, blind and of whole runs with known frontiers."""
    found = []
    for model, aim in AIMS.items():
        rows = _of(document, lambda r, model=model: r["model"] == model and r["program"] in PROGRAMS)
        blind, whole = (sum(e <= aim for e in of) for of in (_errors(rows, "error"), map(_error_of_run, rows)))
        found.append(f"{blind} of {len(rows)} that {model} are within {percent(aim)} (given the frontier, {whole})")
    return ", and ".join(found)


def _error_of_run(row: dict[str, Any]) -> float:
    return abs(row["run"]["predicted"] / median(row["measured"]["runs"]) - 1)


def nodes_fastest(document: dict[str, Any]) -> str:
    """Say in how many cases several processes were fastest, among the cases that one process ran too."""
    found = _best_of_nodes(document)
    return "none" if not any(found) else f"{sum(found)} of {len(found)}"


def of_one(document: dict[str, Any]) -> str:
    """Say in how many cases one process was measured too, which won all of them."""
    found = _best_of_nodes(document)
    assert not any(found), "several processes were the fastest of a case: the page says that they never were"
    return str(len(found))


def _best_of_nodes(document: dict[str, Any]) -> list[bool]:
    """Return, for each case that one process ran too, True if several processes were fastest."""
    of_one = {_case(r) for r in document["one_process"]["rows"]}
    groups: dict[tuple[str, str], Rows] = {}
    for r in [*document["rows"], *document["one_process"]["rows"]]:
        if _case(r) in of_one:
            groups.setdefault(_case(r), []).append(r)
    return ["nodes" in min(group, key=lambda r: float(r["measured"]["all"])) for group in groups.values()]


def _case(row: dict[str, Any]) -> tuple[str, str]:
    return row["graph"], row["program"] + (row["model"] if row["model"] in METHODS else "")
