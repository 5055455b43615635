# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""``lux autotune``: predict every configuration, choose one, and print its launch command."""

from __future__ import annotations

import argparse
import importlib.util
import sys
from contextlib import suppress
from dataclasses import asdict, replace
from glob import has_magic
from pathlib import Path
from typing import Any

import legate_config
from lux.app import graphs, report
from lux.app.autotune_flags import is_own
from lux.app.console.live import Live
from lux.autotune.summarize import summary_path
from lux.errors import ConfigurationError, ParameterError
from perfmodel import (
    Choice,
    Configuration,
    Factors,
    GraphSummary,
    ModelError,
    Prediction,
    Prices,
    Profile,
    choose,
    efficiency,
)
from perfmodel import profile as profiles
from perfmodel.choose_configuration import sizes_needed
from perfmodel.predict_sources import Sources
from perfmodel.programs import program
from perfmodel.summary import DOUBLINGS, EXACT

ROWS, NOTES = 12, 3
"""Predictions that the table shows, and notes below it."""
GB = 1e9


def autotune(options: argparse.Namespace) -> int:
    """Choose, write and print a configuration; returns the exit code.

    Raises
    ------
    LuxError
        Raised before anything is launched, or alike on every process.
    """
    try:
        profile, prices = _profile(options), _prices(options)
        per_node = _per_node(options, profile)
        if options.summary is None:
            graphs.check(options)
        sources = None
        if is_own(options.program):
            profile, summary, written = _own(options, profile, per_node)
        elif program(options.program).sources:
            sources, summary, written = _sources(options, per_node)
        else:
            summary, written = _summary(options, per_node)
        if options.edges is not None:
            summary = summary.scaled(options.edges)
        beside = options.cpus if profile.machine.device == "gpu" else None
        limits = (options.nodes, per_node)
        choice = choose(
            summary, profile, options.program, *limits, factors=_factors(options), sources=sources, cpus=beside
        )
        if options.output is not None:
            choice.configuration.write(options.output)
            written.append(f"{options.output}: the configuration, for --config")
    except ModelError as error:
        raise ConfigurationError(str(error)) from None
    if legate_config.rank_info().rank == 0:
        found = _facts(options, summary, profile, choice, prices) | {"written": written}
        if options.json:
            report.print_json(found)
        else:
            _print(found)
    return 0


def _factors(options: argparse.Namespace) -> Factors | None:
    """Return the requested parameters of a factorization."""
    return Factors(options.k, options.method, options.dtype) if program(options.program).factors else None


def _profile(options: argparse.Namespace) -> Profile:
    """Load the named profile or this machine's, with the rates that were passed."""
    from lux.autotune.tuning import profile_here

    if options.profile is not None:
        found = profiles.load(options.profile)
    else:
        found = profile_here("gpu" if legate_config.Machine.detect().gpus else "cpu")
    for name, rate in options.rate or ():
        value = rate * GB if name == "bisection" else 1 / (rate * GB)
        given: dict[str, Any] = {name.replace("-", "_"): value, "assumed": (*found.assumed, name)}
        found = replace(found, **given)
    return found


def _per_node(options: argparse.Namespace, profile: Profile) -> int:
    on_gpus, has = profile.machine.device == "gpu", profile.machine.workers()
    asked = options.gpus if on_gpus else options.cpus
    for flag, passed in (("--gpus", not on_gpus and options.gpus), ("--cpus", on_gpus and options.cpus)):
        if passed and not (on_gpus and profile.beside):
            raise ParameterError(f"{flag} was passed, and the profile is of {profile.machine.describe()}: leave it out")
    if asked is not None and asked > has:
        raise ParameterError(
            f"{asked} processor{'s' * (asked != 1)} on each node were asked for, and the profile's machine has {has} "
            f"({profile.machine.describe()}): pass {has} or less"
        )
    return has if asked is None else int(asked)


def _prices(options: argparse.Namespace) -> Prices | None:
    """Return the passed prices of nodes and GPUs; None without any."""
    if options.price_node is None and options.price_gpu is None:
        return None
    return Prices(options.price_node or 0.0, options.price_gpu or 0.0)


def _own(options: argparse.Namespace, profile: Profile, per_node: int) -> tuple[Profile, GraphSummary, list[str]]:
    """Run a user's program for a moment; return the profile with its rates, the graph's summary, and what was written.

    ``options.program`` becomes its name, and ``options.script`` its file.
    """
    from lux.autotune import short_run
    from lux.autotune.summarize import summarize
    from lux.engine.executor import edges_of

    options.script, _, name = options.program.partition(":")
    program, live = _class(options.script, name), Live()
    graph = graphs.loaded(options, live)
    params = dict(options.param or ())
    for vertex in set(program.spec.vertex_parameters) & params.keys():
        params[vertex] = graph.ids.dense(params[vertex])
    with live.phase("run", f"running {name}"):
        learned = short_run.learn(program, graph, params, None, profile)
    options.program, used = short_run.name_of(program), edges_of(program, graph)
    with live.phase("count", "counting"):
        summary = summarize(used, _sizes(options, per_node), symmetrized=used is not graph)
    return learned, summary, _write(summary, None, options.save_summary)


def _sources(options: argparse.Namespace, per_node: int) -> tuple[Sources, GraphSummary, list[str]]:
    """Run betweenness for a moment; return what it shows, the graph's summary, and what was written."""
    from lux.autotune import short_run
    from lux.autotune.summarize import summarize

    live = Live()
    graph = graphs.loaded(options, live)
    with live.phase("run", "running betweenness"):
        found = short_run.of_sources(graph, min(options.sources or graph.n_vertices, graph.n_vertices))
    with live.phase("count", "counting"):
        summary = summarize(graph, _sizes(options, per_node))
    return found, summary, _write(summary, None, options.save_summary)


def _class(path: str, name: str) -> Any:
    """Load a program from a file, of which all but what ``if __name__ == "__main__"`` guards is run."""
    from lux.program.program import Program as UserProgram

    if not Path(path).is_file():
        raise ParameterError(f"--program {path}:{name}: there is no file {path}")
    spec = importlib.util.spec_from_file_location(Path(path).stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module  # where the class's text is looked for
    spec.loader.exec_module(module)
    found = getattr(module, name, None)
    if not (isinstance(found, type) and issubclass(found, UserProgram)):
        raise ParameterError(f"--program {path}:{name}: {path} has no subclass of lux.Program of that name")
    return found


def _sizes(options: argparse.Namespace, per_node: int) -> set[int]:
    """Return the numbers of partitions whose sizes are needed."""
    return {n for n in sizes_needed(options.nodes, per_node) | {*DOUBLINGS} if n <= EXACT}


def _summary(options: argparse.Namespace, per_node: int) -> tuple[GraphSummary, list[str]]:
    """Return the named summary, or the one beside the graph, or a new one.

    A new summary is kept beside the graph. Also returns the path that was written.
    """
    if options.summary is not None:
        return GraphSummary.read(options.summary), []
    both = program(options.program).both
    in_files = options.generate is None and not has_magic(options.graph)  # of a pattern, where should it lie?
    kept = summary_path(options.graph, symmetrized=both) if in_files else None
    needed = _sizes(options, per_node)
    if kept is not None and kept.exists():
        summary = GraphSummary.read(kept)
        same = summary.source == graphs.state(options) and summary.reads is not None
        has = summary.swept if program(options.program).factors else summary.sizes
        if same and not options.measure and {n for n in needed if n <= summary.n_vertices} <= {*has}:
            return summary, _write(summary, None, options.save_summary)
    summary = _count(options, needed)
    if kept is not None:
        summary = replace(summary, source=graphs.state(options))
    return summary, _write(summary, kept, options.save_summary)


def _write(summary: GraphSummary, kept: Path | None, asked: str | None) -> list[str]:
    """Write a summary and report it; beside the graph only if possible."""
    if legate_config.rank_info().rank:
        return []
    written = []
    if kept is not None:
        with suppress(ModelError):
            summary.write(kept)
            written.append(f"{kept}: the graph's summary, so that it need not be counted again")
    if asked is not None:
        summary.write(asked)
        written.append(f"{asked}: the graph's summary")
    return written


def _count(options: argparse.Namespace, needed: set[int]) -> GraphSummary:
    from lux.autotune.summarize import summarize_for

    live = Live()
    graph = graphs.loaded(options, live)
    with live.phase("count", "counting"):
        used, summary = summarize_for(options.program, graph, needed)
    if options.measure:
        from lux.autotune.summarize import measured

        with live.phase("run", f"running {options.program}"):
            summary = measured(used, options.program)
    return summary


def _facts(
    options: argparse.Namespace, summary: GraphSummary, profile: Profile, choice: Choice, prices: Prices | None
) -> dict[str, Any]:
    """Return the whole report for JSON; times in seconds."""
    estimate = summary.scale != 1 or bool(profile.assumed) or not _everything_counted(summary, choice)
    chosen, factors = choice.configuration, _factors(options)
    return {
        "program": options.program,
        **({} if factors is None else {"factors": asdict(factors)}),
        "nodes": options.nodes,
        "graph": {"vertices": summary.n_vertices, "edges": summary.n_edges, "scale": summary.scale},
        "machine": profile.machine.describe(),
        "assumed": list(profile.assumed),
        "estimate": estimate,
        "smallest": _row(_smallest(choice, profile), profile, prices),
        "best": _row(choice.best, profile, prices),
        "configuration": {"model": chosen.model, "placement": chosen.placement, "nodes": chosen.nodes}
        | {"per_node": chosen.per_node, "parts": chosen.parts}
        | _beside(chosen),
        "command": command(chosen, options),
        "notes": choice.notes,
        "predictions": [_row(p, profile, prices) for p in choice.predictions],
    }


def _everything_counted(summary: GraphSummary, choice: Choice) -> bool:
    return summary.counted(choice.best.configuration.nodes) and summary.counted(choice.best.configuration.workers)


def _smallest(choice: Choice, profile: Profile) -> Prediction:
    """Return the fastest configuration among the ones with the fewest nodes and processors that the graph fits."""
    fitting = [p for p in choice.predictions if p.need.fits(profile.machine)]
    return min(fitting, key=lambda p: (p.configuration.nodes, p.configuration.per_node, p.iteration))


def _row(p: Prediction, profile: Profile, prices: Prices | None) -> dict[str, Any]:
    c = p.configuration
    row: dict[str, Any] = {"model": c.model, "placement": c.placement, "nodes": c.nodes, "per_node": c.per_node}
    row |= _beside(c) | {"overflow_seconds": p.overflow, "beside_seconds": p.beside}
    row |= {"parts": c.parts, "load": p.load, "compute": p.compute, "update": p.update, "fixed": p.fixed}
    row |= {"transfer": p.transfer, "transfer_sum": p.transfer_sum, "transfer_maximum": p.transfer_maximum}
    row |= {"launch": p.launch}
    row |= {"iteration": p.iteration, "range": list(p.range), "iterations": p.iterations, "run": p.total}
    row |= {"node_bytes": p.need.host, "gpu_bytes": p.need.gpu, "fits": p.need.fits(profile.machine)}
    if prices is not None:
        row |= {"per_second_and_dollar": efficiency(p.iteration, prices.of(p))}
    return row


def _beside(c: Configuration) -> dict[str, Any]:
    """Describe a configuration's part outside the GPUs."""
    return {"device": c.device, "cpus": c.cpus, "cpu_share": c.cpu_share, "overflow": c.overflow}


def command(chosen: Configuration, options: argparse.Namespace) -> str:
    """Return the command that launches the chosen configuration."""
    launch = chosen.launch
    processors: dict[str, Any] = {name: launch.get(name) for name in ("cpus", "gpus", "fbmem", "zcmem")}
    layout = legate_config.Layout(chosen.nodes, **processors, launcher=options.launcher)
    if (script := getattr(options, "script", None)) is not None:
        return legate_config.command(layout, [script], as_root=False)
    app = chosen.program if chosen.program != "labels" else "components"
    graph = ["GRAPH"] if options.summary is not None else graphs.words(options)
    config = ["--config", str(options.output)] if options.output else _flags(chosen)
    if program(chosen.program).sources:
        config = ["--k", str(options.sources)] if options.sources else []
    if program(chosen.program).factors:
        config = ["--k", str(options.k), "--method", options.method, "--dtype", options.dtype, *config]
    return legate_config.command(layout, [f"apps/{app}.py", *graph, *config], as_root=False)


def _flags(chosen: Configuration) -> list[str]:
    placed = ["--placement", chosen.placement] if chosen.device == "gpu" else []
    if chosen.cpus:
        placed = ["--device", chosen.device, "--cpu-share", f"{chosen.cpu_share:.4g}"]
    model = [] if program(chosen.program).factors else ["--model", chosen.model]
    return [*model, *([] if chosen.parts is None else ["--parts", str(chosen.parts)]), *placed]


def _print(found: dict[str, Any]) -> None:
    console, time = report.console(), report.time_words
    best, small = found["best"], found["smallest"]
    low, high = best["range"]
    graph, chosen = found["graph"], found["configuration"]
    scaled = "" if graph["scale"] == 1 else f", scaled {graph['scale']:.3g} times"

    device = "core" if best["gpu_bytes"] == 0 else "GPU"

    def where(row: dict[str, Any]) -> str:
        nodes, each = row["nodes"], row["per_node"]
        cores = f" and {row['cpus']} core{'s' * (row['cpus'] > 1)}" if row["cpus"] else ""
        return f"{nodes} node{'s' * (nodes > 1)} with {each} {device}{'s' * (each > 1)}{cores}"

    done = best["iterations"]
    rows = {
        "graph": f"{graph['vertices']:,} vertices, {graph['edges']:,} stored edges{scaled}",
        "factors": _factor_words(found.get("factors")),
        "machine": found["machine"] + (f"; assumed: {', '.join(found['assumed'])}" if found["assumed"] else ""),
        "chosen": f"[bold]{chosen['model']}[/bold], {chosen['placement']}, {where(chosen)}, parts {chosen['parts']}",
        "beside the GPUs": _beside_words(chosen),
        "iteration": f"{'estimate: ' if found['estimate'] else ''}{time(best['iteration'])} "
        f"({time(low)} to {time(high)})",
        "run": "" if best["run"] is None else f"{time(best['run'])}, {done} iteration{'s' * (done != 1)}",
        "considered": _considered(found),
        "smallest that fits": f"{where(small)}: {time(small['iteration'])} an iteration",
    }
    console.print(report.key_values(f"lux autotune: {found['program']}", rows))
    title = "an iteration's predicted steps, in ms; memory of a node or a GPU (!: too much)"
    console.print(report.listing(title, [_cells(row) for row in found["predictions"][:ROWS]]))
    for note in found["notes"][:NOTES]:
        console.print(note, style="dim", highlight=False, markup=False)
    if len(found["notes"]) > NOTES:
        console.print(f"... and {len(found['notes']) - NOTES} notes more (--json)", style="dim", highlight=False)
    for line in found["written"]:
        console.print(f"wrote {line}", highlight=False, markup=False, soft_wrap=True)
    console.print(found["command"], markup=False, highlight=False, soft_wrap=True)


def _factor_words(factors: dict[str, Any] | None) -> str:
    return "" if factors is None else f"{factors['method']}, k = {factors['k']}, {factors['dtype']}"


def _beside_words(row: dict[str, Any]) -> str:
    """Describe the edges that are not in the GPUs' memory."""
    if row["cpus"]:
        return f"{row['cpu_share']:.1%} of the edges, on CPU cores"
    return f"{row['overflow']:.1%} of the edges, in zero-copy memory" if row["overflow"] else ""


def _considered(found: dict[str, Any]) -> str:
    """Say that some requested nodes are left out."""
    most, asked = max(row["nodes"] for row in found["predictions"]), found["nodes"]
    return "" if most == asked else f"only {most} of {asked} nodes: a note below says why"


def _cells(row: dict[str, Any]) -> dict[str, str]:
    def ms(name: str) -> str:
        return f"{1e3 * row[name]:.3g}"

    beside = f" + {row['cpus']} cores" if row["cpus"] else f", {row['overflow']:.0%} over" if row["overflow"] else ""
    cells = {"model": row["model"], "values": row["placement"] + beside, "nodes": str(row["nodes"])}
    cells |= {"each": str(row["per_node"]), "parts": str(row["parts"] or "-")}
    cells |= {"load": ms("load"), "compute": ms("compute"), "update": ms("update")}
    row = row | {"launch": row["launch"] + row["fixed"]}
    priced = "per_second_and_dollar" in row
    cells |= {"xfer": ms("transfer")} | ({} if priced else {"(sum)": ms("transfer_sum")})  # no room in the table
    cells |= {"launch": ms("launch"), "total": ms("iteration")}
    cells["GiB"] = f"{max(row['node_bytes'], row['gpu_bytes']) / 2**30:.3g}" + ("" if row["fits"] else "!")
    if priced:
        cells["it/s\nper k$"] = f"{1000 * row['per_second_and_dollar']:.3g}"
    return cells
