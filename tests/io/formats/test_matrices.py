# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Matrix Market and .npz files as others write them, and what is wrong with those that are refused."""

import numpy as np
import pytest
from scipy import sparse

from lux.errors import FormatError, LuxError, ParameterError, ParseError
from lux.io import open_graph_file
from lux_cases.edges import to_scipy

GENERAL = "%%MatrixMarket matrix coordinate {} general\n"
SYMMETRIC = "%%MatrixMarket matrix coordinate integer symmetric\n"
SKEW = "%%MatrixMarket matrix coordinate integer skew-symmetric\n"


def written(folder, content):
    path = folder / "a.mtx"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("end", ["", " ", "\t", "\r", "\r\n", "\n\n \n"])
@pytest.mark.parametrize("field,value", [("real", " 1.5"), ("integer", " 7"), ("pattern", "")])
def test_last_lines(tmp_path, field, value, end):
    content = GENERAL.format(field) + f"% one\n\n3 3 2\n1 2{value}\n3 1{value}{end}"
    edges = open_graph_file(written(tmp_path, content))
    assert (edges.sources.tolist(), edges.destinations.tolist()) == ([0, 2], [1, 0])
    kinds = {"real": np.float64, "integer": np.int32}
    assert {name: (v.dtype, v.tolist()) for name, v in edges.properties.items()} == (
        {"weight": (kinds[field], [float(value)] * 2)} if value else {}
    )


@pytest.mark.parametrize(
    "content,error,message",
    [
        ("%%MatrixMarket", ParseError, "line 1: a .mtx file starts with"),
        ("%%MatrixMarket matrix coordinate real general", FormatError, "has no line 'ROWS COLUMNS ENTRIES'"),
        ("%%MatrixMarket matrix coordinate\n1 1 0\n", ParseError, "line 1: a .mtx file starts with"),
        ("%%MatrixMarket matrix coordinate real hermitian\n1 1 0\n", ParseError, "SYMMETRY is general"),
        ("%%MatrixMarket matrix coordinate pattern skew-symmetric\n1 1 0\n", ParseError, "of integers or reals"),
        ("%%MatrixMarket vector coordinate real general\n1 1 0\n", ParseError, "line 1"),
        ("%%MatrixMarket matrix array real general\n0 2\n1\n0\n", FormatError, "is a dense matrix"),
        (GENERAL.format("real") + "3 3\n", ParseError, "line 2: after its comments"),
        (GENERAL.format("real") + "3 3p", ParseError, "line 2: after its comments"),
        (GENERAL.format("real") + "3 3 1p\n", ParseError, "line 2: after its comments"),
        (GENERAL.format("real") + "3 -3 1\n", ParseError, "line 2: after its comments"),
        (GENERAL.format("real") + "3 3 " + "9" * 5000, ParseError, "line 2: after its comments"),
        (GENERAL.format("real") + "3 3 99999999999\n1 1 1\n", FormatError, "it has 1 entries, and .* says 99999999999"),
        (GENERAL.format("real") + "3 3 1\n1 1 1\n2 2 2\n", FormatError, "it has 2 entries"),
        (GENERAL.format("real") + "3 3 1\n2 1\x003 3\n", FormatError, "is binary"),
        (GENERAL.format("real") + "3 3 1\n1 1 x\n", ParseError, "line 3: 'x' is not a number"),
        (GENERAL.format("real") + "3 3 1\n1 1\n", ParseError, "line 3: .*field 3 is missing"),
        (GENERAL.format("real") + "3 3 1\n1 1 1 5\n", ParseError, "line 3: more than 3 fields"),
        (GENERAL.format("pattern") + "3 3 1\n1 1 1\n", ParseError, "line 3: more than 2 fields"),
        (GENERAL.format("integer") + "3 3 1\n1 1 1.5\n", ParseError, "line 3: field 3 is not an integer"),
        (GENERAL.format("integer") + f"3 3 1\n1 1 {2**63}\n", ParseError, "line 3: field 3 is an integer above"),
        (GENERAL.format("integer") + "3 3 1\n0 1 1\n", ParseError, "line 3: row 0 is not in 1 to 3"),
        (GENERAL.format("integer") + "3 4 1\n3 5 1\n", ParseError, "line 3: column 5 is not in 1 to 4"),
        (GENERAL.format("integer") + f"3 3 2\n1 1 {2**63 - 1}\n1 1 1\n", FormatError, "does not fit 64 bits"),
        (SYMMETRIC + "3 3 2\n2 1 5\n1 2 7\n", FormatError, r"entries at \(2, 1\) and \(1, 2\), and its first line"),
        (SYMMETRIC + "3 2 1\n2 1 5\n", FormatError, "only square ones are"),
        (SKEW + "3 3 2\n2 1 5\n1 2 -5\n", FormatError, "says skew-symmetric"),
        (SKEW + "3 3 1\n2 2 5\n", FormatError, r"skew-symmetric and has an entry at \(2, 2\)"),
        (SKEW + f"3 3 1\n2 1 {-(2**63)}\n", FormatError, "does not fit 64 bits"),
    ],
)
def test_mistakes_in_matrix_market(tmp_path, content, error, message):
    with pytest.raises(error, match=message):
        open_graph_file(written(tmp_path, content))


@pytest.mark.parametrize(
    "content,expected",
    [
        (GENERAL.format("integer") + "2 2 3\n2 1 5\n1 1 1\n2 1 7\n", [[1, 0], [12, 0]]),
        (GENERAL.format("real") + "2 2 2\n2 1 .5\n2 1 1e1\n", [[0, 0], [10.5, 0]]),
        (GENERAL.format("pattern") + "2 2 2\n2 1\n2 1\n", [[0, 0], [1, 0]]),
        (GENERAL.format("real") + "2 2 1\n2 1 9007199254740993\n", [[0, 0], [2.0**53, 0]]),
        (SYMMETRIC + "2 2 2\n2 1 5\n1 1 3\n", [[3, 5], [5, 0]]),
        (SYMMETRIC + "3 3 2\n1 2 5\n3 1 7\n", [[0, 5, 7], [5, 0, 0], [7, 0, 0]]),
        (SYMMETRIC + "2 2 2\n2 1 5\n2 1 5\n", [[0, 10], [10, 0]]),
        (SKEW + "2 2 1\n2 1 5\n", [[0, -5], [5, 0]]),
        (f"%%matrixMARKET MATRIX Coordinate Integer General\n2 2 1\n2 1 {2**62}\n", [[0, 0], [2**62, 0]]),
    ],
)
def test_matrix_market(tmp_path, content, expected):
    edges = open_graph_file(written(tmp_path, content))
    np.testing.assert_array_equal(to_scipy(edges).toarray(), expected)
    assert edges.directed is (" symmetric" not in content)


def test_symmetric_matrix_as_bipartite(tmp_path):
    edges = open_graph_file(written(tmp_path, SYMMETRIC + "2 2 2\n2 1 5\n1 1 3\n"), bipartite=True)
    labels = edges.ids.labels(0, 4)
    ends = zip(labels[edges.sources].tolist(), labels[edges.destinations].tolist(), strict=True)
    assert sorted(ends) == [("left:1", "right:1"), ("left:1", "right:2"), ("left:2", "right:1")]


MATRIX = sparse.csr_array(np.array([[0, 7, 0, 0], [0, 0, 0, 5], [1, 0, 0, 0], [0, 0, 2, 0]]))


def archive(folder, form, **changed):
    """A saved matrix of some form, with other arrays in it."""
    path = folder / "a.npz"
    sparse.save_npz(path, MATRIX.asformat(form))
    with np.load(path) as arrays:
        kept = {**arrays, **changed}
    np.savez(path, **{name: value for name, value in kept.items() if value is not None})
    return path


@pytest.mark.check
@pytest.mark.parametrize("form", ["csr", "csc", "bsr", "coo", "dia"])
def test_forms_of_matrices(tmp_path, form):
    assert (to_scipy(open_graph_file(archive(tmp_path, form))) != MATRIX).nnz == 0


@pytest.mark.parametrize(
    "form,changed",
    [
        ("csr", {"indices": [1, 3, 0, 4]}),
        ("csr", {"indices": [1, 3, -1, 2]}),
        ("csr", {"indices": [1.0, 3.0, 0.0, 2.0]}),
        ("csr", {"indices": [[1, 3], [0, 2]]}),
        ("csr", {"indptr": [0, 3, 1, 3, 4]}),
        ("csr", {"indptr": [0, 1, 2, 3, 9]}),
        ("csr", {"indptr": [1, 1, 2, 3, 4]}),
        ("csr", {"indptr": [0, 1, 2, 4]}),
        ("csr", {"indptr": None}),
        ("csr", {"shape": [4, 4, 4]}),
        ("csr", {"shape": [-4, 4]}),
        ("csr", {"shape": [4.0, 4.0]}),
        ("csr", {"shape": np.array([2**63, 4], np.uint64)}),
        ("csr", {"format": "xyz"}),
        ("csr", {"format": 7}),
        ("csr", {"data": np.array(["a", "b", "c", "d"])}),
        ("csr", {"data": np.array([1j, 2, 3, 4])}),
        ("csr", {"data": np.array([1, 2, 3, 4], np.longdouble)}),
        ("csc", {"indices": [1, 3, 0, 2**40]}),
        ("csc", {"indptr": [0, 5, 1, 3, 4]}),
        ("bsr", {"indices": [1, 3, 0, 9]}),
        ("bsr", {"indptr": [0, 9, 1, 3, 4]}),
        ("bsr", {"data": np.zeros((4, 1))}),
        ("bsr", {"data": np.zeros((4, 0, 1))}),
        ("coo", {"row": [0, 1, 2, 2**32]}),  # 0, where it is narrowed first
        ("coo", {"row": [0, 1, 2, 3.5]}),
        ("coo", {"row": [0, 1, 2]}),
        ("coo", {"col": [0, 1, 2, -1]}),
        ("coo", {"coords": np.zeros((3, 4), np.int64)}),
        ("dia", {"offsets": [0]}),
        ("dia", {"offsets": [[0, 1, 2]]}),
        ("dia", {"data": np.zeros(3)}),
        ("dia", {"data": np.array(3)}),
    ],
)
def test_damaged_matrices(tmp_path, form, changed):
    with pytest.raises(LuxError, match=r"a\.npz"):
        open_graph_file(archive(tmp_path, form, **changed))


def test_more_vertices_than_can_be_numbered(tmp_path):
    path = written(tmp_path, GENERAL.format("pattern") + f"{2**62} {2**62} 1\n1 1\n")
    with pytest.raises(ParameterError, match="at most 4611686018427387904 rows and columns together"):
        open_graph_file(path, bipartite=True)


def test_sums_of_small_integers(tmp_path):
    matrix = sparse.coo_array((np.array([100, 100, 1], np.int8), ([0, 0, 1], [1, 1, 0])), (2, 2))
    sparse.save_npz(tmp_path / "a.npz", matrix)
    edges = open_graph_file(tmp_path / "a.npz")
    assert (edges.properties["weight"].tolist(), edges.properties["weight"].dtype) == ([200, 1], np.int64)
    many = sparse.coo_array((np.array([2**63, 2**63], np.uint64), ([0, 0], [1, 1])), (2, 2))
    sparse.save_npz(tmp_path / "b.npz", many)
    with pytest.raises(FormatError, match="does not fit 64 bits"):
        open_graph_file(tmp_path / "b.npz")


def test_matrices_in_memory_are_checked():
    import lux

    broken = MATRIX.copy()
    broken.indices[0] = 99
    with pytest.raises(ParameterError, match="the matrix is damaged"):
        lux.from_scipy(broken)
    with pytest.raises(ParameterError, match=r"has shape \(2,\): pass a matrix"):
        lux.from_scipy(sparse.coo_array(np.array([1, 2])))
