# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Figures of results: ``python benchmarks/plots.py`` draws benchmarks/results/ into docs/images/ as SVG.

``pip install -e .[plots]`` brings Matplotlib. Nothing is measured, and no graph is loaded. Figures without results are
left out and named; figures of several GPUs come from all files gpus*.json. The same results and the same Matplotlib
give the same bytes. Each figure has, as its identifier, a digest of its sources, by which a test finds stale ones.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks.figures import balance, cpu, gpu, model, scaling, style

HERE = Path(__file__).resolve().parent
RESULTS, IMAGES = HERE / "results", HERE.parent / "docs" / "images"

Draw = Callable[[Sequence[dict[str, Any]]], Any]


def _one(draw: Callable[[dict[str, Any]], Any]) -> Draw:
    return functools.wraps(draw)(lambda documents: draw(documents[0]))


def _last(draw: Callable[[dict[str, Any]], Any]) -> Draw:
    """Return, of files that differ in the number of GPUs, the one with the most."""
    return functools.wraps(draw)(lambda documents: draw(documents[-1]))


FIGURES: dict[str, tuple[str, Draw]] = {
    "gpu": ("gpu.json", _one(gpu.draw)),
    "gpus": ("gpus*.json", scaling.draw),
    "cpu": ("cpu.json", _one(cpu.draw)),
    "balance": ("balance.json", _one(balance.draw)),
    "balance-nodes": ("balance-nodes.json", _one(balance.draw)),
    "model-steps": ("model.json", _one(model.steps)),
    "model-choices": ("model.json", _one(model.choices)),
    "model-pull-push": ("model.json", _one(model.pull_and_push)),
    "model-nodes-steps": ("model-nodes-200.json", _one(model.steps)),
    "model-nodes-choices": ("model-nodes-200.json", _one(model.choices)),
    "gpu-balance": ("balance-gpu4.json", _one(balance.draw)),
    "gpu-model-steps": ("model-gpu[0-9].json", _last(model.steps)),
    "gpu-model-choices": ("model-gpu[0-9].json", _last(model.choices)),
    "gpu-model-iterations": ("model-gpu[0-9].json", _last(model.each_iteration)),
    "gpu-model-ranks-steps": ("model-gpu-ranks.json", _one(model.steps)),
    "gpu-model-ranks-choices": ("model-gpu-ranks.json", _one(model.choices)),
}
"""Figures by their file's name: the results that they need, and the function that draws them."""


def main(words: Sequence[str] | None = None) -> None:
    """Draw as the command line says."""
    parser = argparse.ArgumentParser(description="Figures of what was measured, as SVG.")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the JSON (benchmarks/results)")
    parser.add_argument("--output", type=Path, default=IMAGES, help="folder of the figures (docs/images)")
    parser.add_argument("--only", nargs="+", choices=list(FIGURES), default=list(FIGURES), metavar="FIGURE")
    options = parser.parse_args(words)
    for path in draw(options.results, options.output, options.only):
        print(path)


def draw(results: Path, output: Path, names: Sequence[str] = tuple(FIGURES)) -> list[Path]:
    """Draw figures from a folder of results into another; returns what was written.

    Raises
    ------
    SystemExit
        Matplotlib is missing, or a file is not what its benchmark writes; with one line that says so.
    """
    try:
        import matplotlib as mpl
    except ImportError:
        sys.exit("figures need Matplotlib, and it is not installed: pip install -e '.[plots]'")
    written = []
    for name in names:
        pattern, function = FIGURES[name]
        files = sorted(results.glob(pattern))
        try:
            with mpl.rc_context(style.STYLE):
                figure = function([json.loads(file.read_text(encoding="utf-8")) for file in files]) if files else None
                if figure is None:
                    print(f"{name}: left out, as {results / pattern} has nothing for it", file=sys.stderr)
                    continue
                output.mkdir(parents=True, exist_ok=True)
                style.save(figure, output / f"{name}.svg", digest(name, results))
        except (KeyError, TypeError, ValueError) as error:
            shown = ", ".join(map(str, files))
            sys.exit(f"{name}: {shown} is not as its benchmark writes it ({error!r}): run the benchmark again")
        written.append(output / f"{name}.svg")
    return written


def digest(name: str, results: Path = RESULTS) -> str:
    """Return a digest of a figure's sources: the results, and the code that draws them."""
    pattern, function = FIGURES[name]
    code = [Path(str(sys.modules[module].__file__)) for module in (style.__name__, function.__module__)]
    found = hashlib.sha256()
    for file in (*sorted(results.glob(pattern)), *code):
        found.update(file.read_bytes())
    return f"sha256:{found.hexdigest()}"


if __name__ == "__main__":
    main()
