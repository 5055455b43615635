# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Checks before a program is launched: parameters, constant fields, edge properties, compilation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.checks import described
from lux.codegen.compile import check_compiles, compile_once, first_reason, is_numbas, kernels
from lux.errors import GraphError, ParameterError, ProgramError
from lux.graph.by_vertex import ALLOWED, in_order_of_ids
from lux.graph.ordering import in_places
from lux.kernels.kinds import Kind, array, kind_of, number
from lux.names import ARGUMENTS, nearest
from lux.program.fields import PLACE
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
        values[name] = value
    return values


def constant_arrays(spec: Spec, graph: Graph, constants: Mapping[str, Any]) -> dict[str, Any]:
    """Make stores of the program's constant fields."""
    if not isinstance(constants, Mapping):
        raise ParameterError(f"constants maps constant fields' names to arrays, and {described(constants)} was passed")
    wanted = {f.name for f in spec.fields.values() if f.constant}
    if wanted != set(constants):
        raise ParameterError(
            f"{spec.name} needs values for its constant fields {sorted(wanted)}; got {sorted(constants)}"
        )
    for name in spec.edge_properties:
        if name not in graph.property_types:
            has = ", ".join(graph.property_types) or "none"
            raise GraphError(f"{spec.name} reads the edge property {name!r}; this graph has {has}")
    stores = {name: values for name, values in constants.items() if isinstance(values, runtime.Store)}
    arrays = {}
    for name, values in constants.items():
        if name not in stores:
            length = spec.lengths.get(name)
            shape = (graph.n_vertices,) if length is None else (graph.n_vertices, length)
            array = in_order_of_ids(name, values, graph)
            if spec.fields[name].holds_vertices:
                array = _vertices(array, graph, by_place=spec.fields[name].dtype == PLACE)
            arrays[name] = _given_array(name, array, spec.fields[name].numpy_dtype(graph.id_dtype), shape)
    stores |= dict(zip(arrays, runtime.from_arrays(list(arrays.values())), strict=True))
    return {name: in_places(graph, stores[name], spec.lengths.get(name) or 1) for name in constants}


def _vertices(values: Any, graph: Graph, *, by_place: bool) -> NDArray[Any]:
    """Translate vertices, given by the user's ids, to the values of a program's fields."""
    dense = graph.ids.dense_array(values)
    return graph.order.places_array[dense] if by_place and graph.order is not None else dense


def _given_array(name: str, values: Any, dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """Convert values of a constant field to its type; `ParameterError` unless they are numbers that it can hold."""
    try:
        array = np.asarray(values)
    except (TypeError, ValueError):  # of lists of several lengths
        array = np.array(None)
    if array.dtype.kind not in "biuf":
        raise ParameterError(f"{name}: {described(values)} was passed; allowed are numbers of shape {shape}: {ALLOWED}")
    if array.shape != shape:
        raise ParameterError(f"{name} has shape {array.shape}; allowed is {shape}")
    with np.errstate(invalid="ignore"):  # values that are refused below
        held = array.astype(dtype)
    lost = held != array if dtype.kind in "iu" and array.dtype != dtype else np.zeros(1, bool)
    if lost.any():
        raise ParameterError(
            f"{name} has values that {dtype} cannot hold, {array[lost][0]} for one: give its field another type"
        )
    return held


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
