# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What a program may say, and where a mistake in it is reported."""

import importlib.util
import itertools
import math

import numpy as np
import pytest

import lux
from lux.errors import ParameterError, ProgramError
from lux_cases.builtin import BreadthFirstSearch, WeightedPageRank

GOOD = {
    "fields": "x = lux.field(np.int32, reduce=lux.MIN)",
    "start": "def start(v, params):\n    v.x = v.id\n    return True",
    "compute": "def compute(v, u, edge, params):\n    return u.x",
    "update": "def update(v, old, params):\n    return v.x < old.x",
}
TOTAL = "@lux.aggregate\ndef {}(v, old, params):\n    return {}"
number = itertools.count()


def define(folder, **parts):
    """A program in a file of its own; returns the class and the lines of the file."""
    text = "import math\nimport numpy as np\nimport lux\n\n"
    text += "SCALE, NAME, PAIR = 2.5, 'x', (1, 2)\n\n\nclass Mine(lux.Program):\n"
    for part in (GOOD | parts).values():
        text += "".join(f"    {line}\n" for line in part.split("\n")) + "\n" if part else ""
    path = folder / f"mine_{next(number)}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    return path, text.splitlines(), spec, module


def load(folder, **parts):
    _, _, spec, module = define(folder, **parts)
    spec.loader.exec_module(module)
    return module.Mine


def refused(folder, marked, **parts):
    """The message of a refused program, which must name the file and the line that has the text ``marked``."""
    path, lines, spec, module = define(folder, **parts)
    with pytest.raises(ProgramError) as caught:
        spec.loader.exec_module(module)
    message = str(caught.value)
    line = next(k for k, text in enumerate(lines, 1) if marked in text)
    assert f"{path}, line {line}: " in message
    return message


def start(*body):
    return "\n    ".join(["def start(v, params):", *body])


def compute(*body):
    return "\n    ".join(["def compute(v, u, edge, params):", *body])


def update(*body):
    return "\n    ".join(["def update(v, old, params):", *body])


@pytest.mark.check
@pytest.mark.parametrize(
    "part,marked,message",
    [
        ({"start": start("v.y = 1", "return True")}, "v.y", "v.y is no field; fields that can be assigned: x"),
        ({"start": start("v.id = 1", "return True")}, "v.id", "v.id is no field"),
        ({"start": start("if v.id:", "    return True")}, "def start", "does not return a value on every path"),
        (
            {"start": start("if v.id:", "    return", "return True")},
            "def start",
            "some of its returns have a value and some have none",
        ),
        ({"start": start("return True, 1")}, "return True, 1", "start returns one value, not a tuple"),
        ({"compute": compute("return u.y")}, "u.y", "u.y is no field; u has x, id, out_degree"),
        ({"compute": compute("return u.in_degree")}, "u.in_degree", "u.in_degree is no field"),
        ({"compute": compute("v.x = 1", "return 1")}, "v.x = 1", "v.x cannot be assigned in compute"),
        ({"compute": compute("u.x = 1", "return 1")}, "u.x = 1", "u.x cannot be assigned in compute"),
        ({"compute": compute("pass")}, "def compute", "must return a value"),
        ({"compute": compute("return u")}, "return u", "u can only be used with an attribute, as in u.NAME"),
        ({"compute": compute("u = 1", "return u")}, "u = 1", "u is an argument and cannot be assigned"),
        ({"compute": compute("return nobody")}, "nobody", "the name 'nobody' is not defined"),
        (
            {"compute": compute("return NAME")},
            "return NAME",
            "'NAME' is a str; a program's function can use numbers, math",
        ),
        ({"compute": compute("return PAIR[0]")}, "PAIR[0]", "'PAIR' is a tuple"),
        ({"compute": compute("return len('x')")}, "len('x')", "'len'"),
        ({"compute": compute("return math.nonsense(u.x)")}, "nonsense", "math has no 'nonsense'"),
        ({"compute": compute("return np.nonsense(u.x)")}, "nonsense", "numpy has no 'nonsense'"),
        ({"compute": compute("return (lambda: 1)()")}, "lambda", "a lambda cannot be used"),
        ({"compute": compute("import os", "return 1")}, "import os", "an import cannot be used"),
        ({"compute": compute("global SCALE", "return 1")}, "global SCALE", "global cannot be used"),
        ({"compute": compute("def f():", "    return 1", "return f()")}, "def f()", "a nested function cannot be used"),
        ({"compute": compute("try:", "    pass", "finally:", "    pass", "return 1")}, "try:", "try cannot be used"),
        ({"compute": compute("raise ValueError")}, "raise ValueError", "raise cannot be used"),
        (
            {"compute": compute("if v.x:", "    raise ValueError", "return 1")},
            "raise ValueError",
            "raise cannot be used",
        ),
        ({"compute": compute("with u.x:", "    pass", "return 1")}, "with u.x", "with cannot be used"),
        (
            {"compute": "def compute(v, u, edge, params, more):\n    return 1"},
            "def compute",
            r"takes (v, u, edge, params), and (v, u, edge, params, more) was written",
        ),
        ({"compute": "def compute(v, *rest):\n    return 1"}, "def compute", "takes (v, u, edge, params)"),
        ({"compute": "def compute(v, u=1):\n    return 1"}, "def compute", "(v, u, edge, params), and (v, u=1) was"),
        ({"compute": "def compute(v, u):\n    yield u.x"}, "yield u.x", "yield cannot be used"),
        (
            {"compute": "def compute(v, u):\n    def more(a):\n        return a\n    return more(u.x)"},
            "def more",
            "a nested function cannot be used",
        ),
        ({"compute": "def compute(v, u):\n    return sum(i for i in (1, 2))"}, "return sum", "a comprehension cannot"),
        ({"update": update("old.x = 1", "return True")}, "old.x = 1", "old.x cannot be assigned in update"),
        (
            {"update": update("return v.x < old.out_degree")},
            "old.out_degree",
            "old.out_degree is no field; old has x, id",
        ),
        ({"init": "def init(v, old, params):\n    return True"}, "def init", ""),
        ({"done": "def done(v, old):\n    v.x = 1\n    return True"}, "v.x = 1", "v.x cannot be assigned in done"),
        ({"converged": "def converged(params):\n    pass"}, "def converged", "must return a value"),
        (
            {"compute": compute("return u.x + 'a'")},
            "'a'",
            "'a' cannot be used: a program's functions compute with real",
        ),
        ({"start": start("v.x = 1", "return None")}, "None", "None cannot be used"),
        ({"compute": compute("assert u.x", "return 1")}, "assert", "assert cannot be used"),
        ({"compute": compute("a = [u.x]", "return 1")}, "[u.x]", "a list cannot be used"),
        ({"compute": compute("return max(u.x for k in (1, 2))")}, "max(", "a comprehension cannot be used"),
        ({"compute": compute("return np.random.random()")}, "random", "random numbers would depend on partitions"),
        (
            {"fields": GOOD["fields"] + "\nK = 3", "compute": compute("return K")},
            "return K",
            "functions do not see into",
        ),
        (
            {
                "fields": "x = lux.field(np.int32, reduce=lux.CUSTOM)",
                "more": "def combine(a, b):\n    b.x = a.x",
            },
            "b.x = a.x",
            "b.x cannot be assigned in combine: combine assigns fields of a",
        ),
        (
            {
                "fields": "x = lux.field(np.int32, reduce=lux.CUSTOM)",
                "more": "def combine(a, b):\n    return a.x",
            },
            "return a.x",
            "combine assigns fields and returns nothing",
        ),
        (
            {"start": start("v.x = params.sum", "return True"), "more": TOTAL.format("sum", "v.x")},
            "def start",
            "params.sum is a total: it is computed after start and after each iteration",
        ),
        (
            {"more": TOTAL.format("one", "1") + "\n" + TOTAL.format("two", "params.one")},
            "def two",
            "params.one is a total",
        ),
        (
            {"compute": compute("return params.model")},
            "def compute",
            "params.model has the name of an argument of lux.run; choose another",
        ),
        ({"more": "@lux.aggregate\ndef total(v, old, params):\n    return v.z"}, "v.z", "v.z is no field"),
        (
            {
                "fields": GOOD["fields"] + "\nc = lux.field(np.int8, constant=True)",
                "start": start("v.c = 1", "return True"),
            },
            "v.c = 1",
            "v.c is constant; fields that can be assigned: x",
        ),
        (
            {"fields": GOOD["fields"] + "\ny = lux.field(np.int8, reduce=lux.ADD)"},
            "return u.x",
            "compute must return 2 values, one for each reduced field; it returns 1",
        ),
    ],
)
def test_mistakes_name_the_line(tmp_path, part, marked, message):
    if "init" in part:
        marked = "return True"  # of start, which comes first; so look for the line after def init
        path, lines, spec, module = define(tmp_path, **part)
        with pytest.raises(ProgramError) as caught:
            spec.loader.exec_module(module)
        line = next(k for k, text in enumerate(lines, 1) if "def init" in text) + 1
        assert f"{path}, line {line}: init assigns fields and returns nothing" in str(caught.value)
        return
    found = refused(tmp_path, marked, **part)
    assert message in found
    assert found.startswith("Mine.")


@pytest.mark.parametrize(
    "part,message",
    [
        ({"fields": ""}, "Mine has no vertex field: declare one"),
        ({"start": ""}, r"Mine has no function start\(v, params\)"),
        ({"compute": ""}, r"Mine has no function compute\(v, u, edge, params\)"),
        ({"update": ""}, r"Mine has no function update\(v, old, params\)"),
        ({"fields": "x = lux.field(np.int32)"}, "Mine: give a field reduce=lux.ADD"),
        ({"fields": "x = lux.field(str)"}, "a field's type must be lux.VERTEX, lux.PLACE or one of bool, int8, "),
        ({"fields": "x = lux.field(complex)"}, "a field's type must be"),
        ({"fields": "x = lux.field('>i4', reduce=lux.ADD)"}, "a field's type must be .*, not '>i4'"),
        ({"fields": "x = lux.field(int, reduce=lux.ADD, constant=True)"}, "one of reduce=, arg_of= and constant="),
        ({"fields": GOOD["fields"] + "\np = lux.field(lux.VERTEX, arg_of='q')"}, r"Mine.p: arg_of='q' must name"),
        (
            {"fields": "x = lux.field(int, reduce=lux.ADD)\np = lux.field(lux.VERTEX, arg_of='x')"},
            "with reduce=lux.MIN or lux.MAX",
        ),
        (
            {"fields": "edges = 'both'\n" + GOOD["fields"]},
            "Mine.edges is 'both'; allowed are lux.IN, lux.OUT and lux.BOTH",
        ),
        ({"fields": "edge = lux.BOTH\n" + GOOD["fields"]}, r"Mine.edge is no part of a program: did you mean edges\?"),
        (
            {"more": "def convergd(params):\n    return True"},
            r"Mine.convergd is no part of a program: did you mean converged\?; it has fields, totals and start, init",
        ),
        (
            {"fields": GOOD["fields"] + "\np = lux.field(int, shape=2)\np_at = lux.field(int)"},
            "Mine.p_at: this name means something else to Lux",
        ),
        ({"more": TOTAL.format("n_vertices", "1")}, "Mine.n_vertices: this name means something else to Lux"),
        ({"update": update("pass")}, "start and update must both return a bool"),
        ({"start": start("v.x = 1")}, "start and update must both return a bool"),
    ],
)
def test_mistakes_of_the_whole(tmp_path, part, message):
    with pytest.raises(ProgramError, match=message):
        load(tmp_path, **part)


@pytest.mark.parametrize(
    "part,marked",
    [
        ({"compute": compute("x = (1, 2)", "return x + 1")}, "x + 1"),
        ({"update": update("a = v.x", "a.real_part = 2", "return v.x < old.x")}, "a.real_part"),
        ({"start": start("v.x = np.sort(v.id)", "return True")}, "sort"),
    ],
)
def test_what_numba_cannot_compile_names_function_and_line(tmp_path, part, marked):
    path, lines, spec, module = define(tmp_path, **part)
    spec.loader.exec_module(module)
    line = next(k for k, text in enumerate(lines, 1) if marked in text)
    with pytest.raises(ProgramError, match="Numba cannot compile it") as caught:
        lux.run(module.Mine, lux.toy.path(3))
    assert str(caught.value).startswith(f"Mine.{next(iter(part))}, {path}, line {line}: ")


def test_run_takes_a_program_and_a_graph(tmp_path):
    program, graph = load(tmp_path), lux.toy.path(3)
    for first in (graph, program(), lux.Program, lux.bfs):
        with pytest.raises(ParameterError, match=r"takes a subclass of lux\.Program, then a graph"):
            lux.run(first, graph)
    with pytest.raises(ParameterError, match=r"takes a graph of Lux, not the .*"):
        lux.run(program, [(0, 1)])


def test_a_program_typed_in_has_no_source():
    space = {"lux": lux, "np": np}
    text = "class Mine(lux.Program):\n" + "".join(
        f"    {line}\n" for part in GOOD.values() for line in part.split("\n")
    )
    with pytest.raises(ProgramError, match="its source cannot be read; define the program in a file"):
        exec(text, space)


FACTOR, LIMIT = np.float32(3), math.inf


class Base(lux.Program):
    """What a program can use: globals, math, loops, local names, and other names for its arguments."""

    x = lux.field(np.float64, reduce=lux.ADD)

    def start(vertex, given):
        """A docstring."""
        vertex.x = math.sqrt(vertex.id) * FACTOR

    def compute(mine, other):
        both = 0.0
        for k in range(2):
            both += other.x + k
        return both if not math.isnan(both) else LIMIT

    def update(v, old):
        if v.in_degree == 0:
            return
        v.x += old.x


class Derived(Base):
    """One function and one type are replaced, all else is inherited."""

    x = lux.field(np.float32, reduce=lux.ADD)

    def compute(v, u):
        return u.x


def test_what_functions_can_use():
    first = [3 * math.sqrt(v) for v in range(3)]
    found = lux.run(Base, lux.toy.path(3), max_iter=1)["x"].to_numpy()
    np.testing.assert_allclose(found, [0, first[1] + 2 * first[0] + 1, first[2] + 2 * first[1] + 1])
    found = lux.run(Derived, lux.toy.path(3), max_iter=1)["x"].to_numpy()
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, [0, first[1] + first[0], first[2] + first[1]], rtol=1e-6)


@pytest.mark.check
def test_what_the_engine_knows_of_a_program():
    spec = BreadthFirstSearch.spec
    assert (spec.frontier, spec.sparse, spec.parameters) == (True, True, ["source"])
    assert [f.name for f in spec.reduced] == ["distance", "parent"]
    spec = WeightedPageRank.spec
    assert (spec.frontier, spec.sparse, spec.parameters) == (False, False, ["alpha", "stop"])
    assert spec.edge_properties == ["weight"]
    assert {f.name for f in spec.fields.values() if f.constant} == {"teleport", "to_dangling", "first", "inverse"}


class Deepest(lux.Program):
    x = lux.field(np.int64, reduce=lux.MIN)

    def start(v, params):
        return True

    def compute(v, u, edge, params):
        return -u.id

    def update(v, old, params):
        return v.x < old.x


def test_ids_have_the_same_type_in_both_models():
    expected = [-4, -4, -4, -4, -3]
    for model in ("push", "pull"):
        assert lux.run(Deepest, lux.toy.complete(5), model=model)["x"].to_numpy().tolist() == expected


class Balance(lux.Program):
    """Contributions that cancel."""

    x = lux.field(np.int64, reduce=lux.ADD)

    def start(v, params):
        v.x = 1 if v.id % 2 == 0 else -1
        return v.id > 0

    def compute(v, u, edge, params):
        return u.x

    def update(v, old, params):
        return v.x != old.x


@pytest.mark.slow  # tests/engine/test_executor.py has the same program on other graphs
def test_sums_that_cancel():
    assert not Balance.spec.sparse
    for model in ("pull", "push"):
        result = lux.run(Balance, lux.toy.star(2001), model=model)
        assert result["x"].to_numpy()[:3].tolist() == [1, -1, 1]
        assert result.iterations == 1


@pytest.mark.parametrize("name", ["state", "queue", "bits", "totals", "words", "id", "in_degree", "out_degree"])
def test_names_that_mean_something_else(tmp_path, name):
    text = {key: part.replace(".x", f".{name}").replace("x =", f"{name} =") for key, part in GOOD.items()}
    with pytest.raises(ProgramError, match=rf"Mine\.{name}: this name means something else to Lux; choose another"):
        load(tmp_path, **text)
    total = f"@lux.aggregate\ndef {name}(v, old, params):\n    return v.x"
    with pytest.raises(ProgramError, match=rf"Mine\.{name}: this name means something else to Lux"):
        load(tmp_path, more=total)


def test_or_of_floats(tmp_path):
    with pytest.raises(ProgramError, match="OR"):
        lux.run(load(tmp_path, fields="x = lux.field(np.float32, reduce=lux.OR)"), lux.toy.path(3))


@pytest.mark.parametrize("dtype", ["'flaot32'", "np.float16", "np.longdouble"])
def test_types_that_cannot_be_fields(tmp_path, dtype):
    with pytest.raises(ProgramError, match="a field's type must be"):
        load(tmp_path, fields=f"x = lux.field({dtype}, reduce=lux.MIN)")


def test_a_program_that_can_never_end_needs_a_limit():
    with pytest.raises(ParameterError, match=r"Base has neither a frontier nor converged\(\), .* pass max_iter"):
        lux.run(Base, lux.toy.path(3))
    assert not lux.run(Base, lux.toy.path(3), max_iter=2).converged


@pytest.mark.parametrize("edges", ["lux.OUT", "lux.BOTH"])
@pytest.mark.parametrize(
    "part,marked,message",
    [
        ({"start": start("v.x = v.in_degree", "return True")}, "def start", "v.in_degree can only be read"),
        ({"update": update("return v.out_degree > 1 and v.x < old.x")}, "def update", "v.out_degree can only be read"),
        ({"compute": compute("return u.out_degree")}, "def compute", "u.out_degree can only be read"),
        (
            {"more": "@lux.aggregate\ndef mean(v, old, params):\n    return v.in_degree"},
            "def mean",
            "v.in_degree can only be read",
        ),
    ],
)
def test_degrees_belong_to_programs_over_in_edges(tmp_path, edges, part, marked, message):
    assert message in refused(tmp_path, marked, fields=f"edges = {edges}\n{GOOD['fields']}", **part)
    load(tmp_path, **part)


UNSET = [
    ["if u.x > 1:", "    q = 1.0", "return q  # here"],
    ["for k in range(u.x):", "    q = k", "return q  # here"],
    ["while u.x > 5:", "    q = 1", "return q  # here"],
    ["for k in range(3):", "    if u.x > k:", "        break", "    q = 1", "return q  # here"],
    ["q += 1  # here", "return q"],
]
SET = [
    ["if u.x > 1:", "    q = 1.0", "else:", "    q = 2.0", "return q"],
    ["if u.x > 1:", "    return 1", "else:", "    q = 2", "return q"],
    ["for k in range(3):", "    q = k", "return q"],
    ["q = 0", "for k in range(u.x):", "    q += k", "return q"],
    ["while True:", "    q = 1", "    if u.x > 1:", "        break", "return q"],
    ["q = w = 3", "a, b = q, w", "return a + b"],
]


@pytest.mark.check
@pytest.mark.parametrize("body", UNSET)
def test_a_name_that_may_be_unset_is_refused(tmp_path, body):
    assert "q may be unset here: assign it on every path" in refused(tmp_path, "# here", compute=compute(*body))


@pytest.mark.parametrize("body", SET)
def test_a_name_that_is_set_on_every_path_is_fine(tmp_path, body):
    load(tmp_path, compute=compute(*body))


def test_a_mistake_is_reported_in_few_frames(tmp_path):
    _, _, spec, module = define(tmp_path, update="def updte(v, old, params):\n    return True")
    with pytest.raises(ProgramError, match=r"no function update\(v, old, params\): did you mean it by updte") as caught:
        spec.loader.exec_module(module)
    frames = [entry.name for entry in caught.traceback]
    assert frames[frames.index("Mine") if "Mine" in frames else -1 :][-1] == "__init_subclass__"
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_programs_of_lux_are_analysed_when_they_are_used():
    class Own(lux.Program):
        __module__ = f"{lux.__name__}.own"
        x = lux.field(np.int32, reduce=lux.MIN)

        def start(v, params):
            v.x = v.id

        def compute(v, u, edge, params):
            return u.nothing

        def update(v, old, params):
            v.x = old.x

    single = Own.typed("Single", x=np.int64)
    for program in (Own, single):
        with pytest.raises(ProgramError, match="nothing"):
            _ = program.spec
    assert WeightedPageRank.spec is WeightedPageRank.spec
    assert WeightedPageRank.typed("Other", rank=np.float32).spec.fields["rank"].dtype == np.float32
