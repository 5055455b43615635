# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Checks before a program is launched: parameters, and the compilation of its kernels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from lux.checks import shown
from lux.codegen.compile import check_compiles, compile_once, first_reason, is_numbas, kernels
from lux.errors import ParameterError, ProgramError
from lux.kernels.kinds import Kind, array, kind_of, number
from lux.names import ARGUMENTS, nearest
from lux.program.program import TAKEN_PARAMETERS, Program
from lux.program.spec import BUILT_IN_PARAMETERS, Spec

if TYPE_CHECKING:
    from lux.graph.graph import Graph


_compiled: set[tuple[Any, ...]] = set()
"""Programs, and the types that their kernels have been compiled for in this process."""


def parameter_values(spec: Spec, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the program's parameters as Python numbers, in their order; or raise `ParameterError`."""
    wanted, got = set(spec.parameters), set(params)
    if wanted != got:
        unknown = sorted(got - wanted)
        near = nearest(unknown[0], [*(wanted - got), *TAKEN_PARAMETERS], ARGUMENTS) if unknown else ""
        raise ParameterError(
            f"{spec.name} takes the parameters {', '.join(sorted(wanted)) or '(none)'}; "
            f"missing: {', '.join(sorted(wanted - got)) or 'none'}, unknown: {', '.join(unknown) or 'none'}{near}"
        )
    values = {}
    for name in spec.parameters:
        value = params[name].item() if isinstance(params[name], np.generic) else params[name]
        if not isinstance(value, bool | int | float):
            raise ParameterError(f"parameter {name} of {spec.name} must be a number, and {value!r} was passed")
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise ParameterError(
                f"parameter {name} of {spec.name} is {shown(value)}; allowed are whole numbers of 64 bits, from -2^63 "
                "to 2^63 - 1: pass a float, or a constant field of uint64"
            )
        values[name] = value
    return values


def argument_kinds(
    program: type[Program], graph: Graph, values: Mapping[str, Any], *, blocked: bool
) -> Callable[[str], Kind]:
    """Return the kind of each argument of a program's kernels, for this graph's types."""
    from lux.codegen.cpu_writer import CONTROL, COPIES, FACTORS, Writer

    spec, writer = program.spec, Writer(program.spec, ordered=graph.order is not None, blocked=blocked)
    dtypes = _field_types(spec, graph)
    arrays: dict[str, Any] = {
        "points": np.int64, "queue_at": np.int64, "word_at": np.int64, "in_offsets": np.int64, "out_offsets": np.int64,
        "out_degree": graph.degree_dtype, "order": graph.id_dtype, "sources": graph.id_dtype,
        "destinations": graph.id_dtype, "ins": np.uint64, "statistics": np.float64,
        "block_starts": np.int64, "blocks_at": np.int64, "packed": np.uint32,
    }  # fmt: skip
    arrays |= {f"{side}_edge_{n}": graph.property_types[n] for n in writer.edge for side in ("in", "out")}
    arrays |= {f"given_{n}": dtypes[n] for n in writer.constant}
    queue = graph.id_dtype if spec.frontier else np.dtype(np.uint32)
    for which in (*COPIES, "new", "other"):
        arrays |= {f"{which}_{n}": dtypes[n] for n in writer.state}
        arrays |= {
            f"{which}_queue": queue,
            f"{which}_bits": np.uint64,
            f"{which}_state": np.int64,
            f"{which}_totals": np.float64,
        }
    arrays |= {"meeting": np.int64, "between": np.int64}
    integers = {"lo", "hi", "part", "n_vertices", "place_bits", *CONTROL} - {"statistics", "meeting", "between"}

    def kind(name: str) -> Kind:
        if name in FACTORS:
            return number(np.float64)
        if name.startswith("params_"):
            found = kind_of(values[name.removeprefix("params_")])
            assert isinstance(found, Kind)  # parameters are numbers
            return found
        return number(np.int64) if name in integers else array(arrays[name])

    return kind


def _field_types(spec: Spec, graph: Graph) -> dict[str, Any]:
    return {f.name: f.numpy_dtype(graph.id_dtype) for f in spec.fields.values()}


def compile_kernels(program: type[Program], graph: Graph, values: Mapping[str, Any], *, blocked: bool = False) -> None:
    """Compile (or load) the kernels for this graph's types; errors name the program's function and line."""
    from lux.codegen.cpu_writer import Writer

    properties = tuple((n, graph.property_types[n]) for n in program.spec.edge_properties)
    types = (
        program,
        blocked,
        graph.order is None,
        graph.id_dtype,
        graph.degree_dtype,
        properties,
        *(type(v) for v in values.values()),
    )
    if types in _compiled:
        return
    ordered = graph.order is not None
    spec, writer = program.spec, Writer(program.spec, ordered=ordered, blocked=blocked)
    module = kernels(program, ordered, blocked)  # type: ignore[arg-type]  # a class is hashable
    kind = argument_kinds(program, graph, values, blocked=blocked)
    try:
        for kernel, names in writer.signatures(module):
            compile_once(kernel, tuple(kind(n) for n in names))
    except Exception as error:
        if not is_numbas(error):
            raise
        check_compiles(spec, scalar_types(spec, graph, _field_types(spec, graph), values))
        raise ProgramError(f"{spec.name}: Numba cannot compile its kernels: {first_reason(str(error))}") from error
    _compiled.add(types)


def scalar_types(
    spec: Spec, graph: Graph, dtypes: Mapping[str, Any], values: Mapping[str, Any]
) -> dict[tuple[str, str], np.dtype[Any]]:
    """Return the types of all values that the program's functions may read."""
    types: dict[tuple[str, str], Any] = {}
    for role in ("v", "old", "u", "a", "b"):
        types |= {(role, name): dtype for name, dtype in dtypes.items()}
        types |= {
            (role, "id"): np.int64,
            (role, "place"): np.int64,
            (role, "in_degree"): np.int64,
            (role, "out_degree"): graph.degree_dtype,
        }
    types |= {("edge", name): dtype for name, dtype in graph.property_types.items()}
    types |= {("params", name): np.dtype(type(value)) for name, value in values.items()}
    types |= {("params", name): np.float64 for name in spec.totals} | {
        ("params", name): np.int64 for name in BUILT_IN_PARAMETERS
    }
    return {key: np.dtype(dtype) for key, dtype in types.items()}
