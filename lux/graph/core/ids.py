# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Vertex ids: the user's name of every dense vertex id.

Inside Lux the vertices of a graph are 0 to n - 1; files and users have their own ids. A `VertexIds` maps both
ways. Dense ids ascend with the user's ids, so both orders agree.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lux.checks import integer, shown
from lux.errors import GraphError, LuxError, ParameterError

TEXT = np.dtypes.StringDType()
FEW = 100
"""Most vertices that are translated to the user's ids one by one, without reading the ids of all vertices."""
HASHED = 100
"""Ratio of names to wanted strings above which each is found by binary search, not in a hash table of all names: the
table costs 0.1 us a name, a binary search in Python 10 us.
"""


class VertexIds(ABC):
    """Names of the dense ids 0 to ``len(self) - 1``."""

    kind: ClassVar[str]
    is_identity: ClassVar[bool] = False

    @abstractmethod
    def __len__(self) -> int: ...

    @property
    @abstractmethod
    def dtype(self) -> np.dtype[Any]:
        """The type of the user's ids: int64, uint64 or NumPy's ``StringDType``."""

    @abstractmethod
    def labels(self, lo: int, hi: int) -> NDArray[Any]:
        """Return the user's ids of the dense ids lo to hi - 1, shape (hi - lo,)."""

    def some(self, dense: NDArray[Any]) -> NDArray[Any]:
        """Return the user's ids of some vertices, given by dense ids of shape (n,), in their order.

        >>> Integers(np.array([3, 5, 30])).some(np.array([2, 0, 2]))
        array([30,  3, 30])
        """
        if len(dense) <= FEW:
            return np.array([self.labels(int(i), int(i) + 1)[0] for i in dense], self.dtype)
        return np.asarray(self.labels(0, len(self))[dense])

    def to_numpy(self) -> NDArray[Any]:
        """Copy the user's ids of all vertices in ascending order, of shape (n_vertices,).

        >>> Integers(np.array([3, 5, 30])).to_numpy()
        array([ 3,  5, 30])
        """
        return self.labels(0, len(self)).copy()

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the user's ids of all vertices in ascending order, as Python integers or strings."""
        return iter(self.labels(0, len(self)).tolist())

    def __contains__(self, user_id: object) -> bool:
        """Tell whether there is a vertex with this id.

        >>> 5 in Integers(np.array([3, 5, 30])), "x" in Offset(3, 1)
        (True, False)
        """
        try:
            self.dense(user_id)
        except LuxError:
            return False
        return True

    @abstractmethod
    def find(self, user_id: int | str) -> int | None:
        """Find the dense id of a user's id; None if no vertex has it."""

    @abstractmethod
    def describe(self) -> str:
        """Describe the ids that exist, for messages: "its 62586 ids run from 1 to 62586"."""

    @abstractmethod
    def payload(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that `lux.io.files.stored_ids.from_arrays` needs besides ``kind``."""

    def select(self, chosen: NDArray[np.int64]) -> VertexIds:
        """Return the ids of some vertices, given by ascending dense ids, for a graph of these alone."""
        from lux.graph.core.compact_ids import compact

        labels = self.labels(0, len(self))[chosen]
        return compact(labels, labels)[2]

    def dense(self, user_id: object) -> int:
        """Return the dense id of one vertex.

        Parameters
        ----------
        user_id : int, str or NumPy integer
            Where ids are integers, a string of digits is understood as well.

        Raises
        ------
        GraphError
            No vertex has this id.
        ParameterError
            It is neither an integer nor a string.

        Examples
        --------
        >>> Offset(3, 1).dense("3")
        2
        >>> Offset(62586, 1).dense(0)
        Traceback (most recent call last):
            ...
        lux.errors.GraphError: vertex 0 is not in the graph: its 62586 ids run from 1 to 62586
        """
        if isinstance(user_id, (bool, np.bool_)) or not isinstance(user_id, (int, str, np.integer)):
            raise ParameterError(f"a vertex id is an integer or a string, not {type(user_id).__name__} {user_id!r}")
        plain = str(user_id) if isinstance(user_id, str) else int(user_id)
        found = self.find(plain)
        if found is None:
            raise GraphError(f"vertex {shown(plain)} is not in the graph: {self.describe()}")
        return found

    def dense_array(self, values: ArrayLike) -> NDArray[np.uint64]:
        """Return the dense ids of many vertices, shape and order of ``values``; errors as `dense`."""
        given = np.asarray(values)
        names = given.reshape(-1).tolist()
        return np.array([self.dense(name) for name in names], np.uint64).reshape(given.shape)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return plain arrays with all facts, for saving; `lux.io.files.stored_ids.from_arrays` reads them."""
        return {"kind": np.array(self.kind), **self.payload()}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, VertexIds):
            return NotImplemented
        mine, theirs = self.to_arrays(), other.to_arrays()
        return mine.keys() == theirs.keys() and all(np.array_equal(mine[key], theirs[key]) for key in mine)

    __hash__ = None  # type: ignore[assignment]  # equality looks at arrays

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.describe()}>"


class Offset(VertexIds):
    """Consecutive integers from ``base``: the ids of 1-based files.

    >>> Offset(3, 1).labels(0, 3)
    array([1, 2, 3])
    """

    kind = "offset"

    def __init__(self, n: int, base: int) -> None:
        self.n, self.base = int(n), int(base)

    def __len__(self) -> int:
        return self.n

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the user's ids."""
        return np.dtype(np.int64 if self.base + self.n <= 2**63 else np.uint64)

    def labels(self, lo: int, hi: int) -> NDArray[Any]:
        """Return the user's ids of the dense ids lo to hi - 1."""
        return np.arange(self.base + lo, self.base + hi, dtype=self.dtype)

    def some(self, dense: NDArray[Any]) -> NDArray[Any]:
        """Return the user's ids of some vertices; see `VertexIds.some`."""
        found: NDArray[Any] = dense.astype(self.dtype) + self.dtype.type(self.base)
        return found

    def find(self, user_id: int | str) -> int | None:
        """Find the dense id of a user's id; None if no vertex has it."""
        number = user_id if isinstance(user_id, int) else integer(user_id.strip())
        return None if number is None or not 0 <= number - self.base < self.n else number - self.base

    def dense_array(self, values: ArrayLike) -> NDArray[np.uint64]:
        """Return the dense ids of many vertices, shape and order of ``values``."""
        given = np.asarray(values)
        if given.dtype.kind not in "iu":
            return super().dense_array(given)
        low, high = self.base, self.base + self.n
        inside = (given >= low) & (given < high)
        if not inside.all():
            self.dense(given[~inside][0])
        dense: NDArray[np.uint64] = (given.astype(self.dtype) - self.dtype.type(self.base)).astype(np.uint64)
        return dense

    def describe(self) -> str:
        """Describe the ids that exist, for messages."""
        return f"its {self.n} ids run from {self.base} to {self.base + self.n - 1}" if self.n else "it has no vertices"

    def payload(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that `lux.io.files.stored_ids.from_arrays` needs besides ``kind``."""
        return {"n": np.array(self.n, np.int64), "base": np.array(self.base, self.dtype)}


class Identity(Offset):
    """The dense ids themselves.

    >>> Identity(4).dense(3), Identity(4).is_identity
    (3, True)
    """

    kind = "identity"
    is_identity = True

    def __init__(self, n: int) -> None:
        super().__init__(n, 0)

    def payload(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that `lux.io.files.stored_ids.from_arrays` needs besides ``kind``."""
        return {"n": np.array(self.n, np.int64)}


class Integers(VertexIds):
    """Any integers; ``values`` is sorted, unique, int64 or uint64, shape (n,).

    >>> Integers(np.array([3, 5, 30])).dense(30)
    2
    """

    kind = "integers"

    def __init__(self, values: NDArray[Any]) -> None:
        self.values = values if values.dtype == np.uint64 else values.astype(np.int64, copy=False)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the user's ids."""
        return self.values.dtype

    def labels(self, lo: int, hi: int) -> NDArray[Any]:
        """Return the user's ids of the dense ids lo to hi - 1."""
        return self.values[lo:hi]

    def find(self, user_id: int | str) -> int | None:
        """Find the dense id of a user's id; None if no vertex has it."""
        number = user_id if isinstance(user_id, int) else integer(user_id.strip())
        if number is None or not len(self) or not self.values[0] <= number <= self.values[-1]:
            return None
        place = int(np.searchsorted(self.values, self.dtype.type(number)))
        return place if int(self.values[place]) == number else None

    def dense_array(self, values: ArrayLike) -> NDArray[np.uint64]:
        """Return the dense ids of many vertices, shape and order of ``values``."""
        given = np.asarray(values)
        if given.dtype.kind not in "iu" or not len(self):
            return super().dense_array(given)
        wanted = given.astype(self.dtype, copy=False)
        places = np.minimum(np.searchsorted(self.values, wanted), len(self) - 1)
        known = (self.values[places] == wanted) & ((given >= 0) == (wanted >= 0))
        if not known.all():
            self.dense(given[~known][0])
        return places.astype(np.uint64)

    def describe(self) -> str:
        """Describe the ids that exist, for messages."""
        if not len(self):
            return "it has no vertices"
        return f"its {len(self)} ids are integers with gaps, from {self.values[0]} to {self.values[-1]}"

    def payload(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that `lux.io.files.stored_ids.from_arrays` needs besides ``kind``."""
        return {"values": self.values}


class Strings(VertexIds):
    """Strings, held as UTF-8: name i is ``text[offsets[i]:offsets[i + 1]]``; sorted by bytes, unique.

    >>> names = Strings.of(["ada", "bob"])
    >>> names.dense("bob"), names.labels(0, 2).tolist()
    (1, ['ada', 'bob'])
    """

    kind = "strings"

    def __init__(self, text: NDArray[np.uint8], offsets: NDArray[np.int64]) -> None:
        self.text, self.offsets = text, offsets

    @classmethod
    def of(cls, names: ArrayLike) -> Strings:
        """Make ids from names that are sorted by code point and unique."""
        coded = [str(name).encode() for name in np.asarray(names).tolist()]
        offsets = np.concatenate([[0], np.cumsum([len(name) for name in coded], dtype=np.int64)])
        return cls(np.frombuffer(b"".join(coded), np.uint8), offsets.astype(np.int64))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the user's ids."""
        return TEXT

    def _name(self, place: int) -> bytes:
        return self.text[self.offsets[place] : self.offsets[place + 1]].tobytes()

    def labels(self, lo: int, hi: int) -> NDArray[Any]:
        """Return the user's ids of the dense ids lo to hi - 1."""
        start = self.offsets[lo] if hi > lo else 0
        data = self.text[start : self.offsets[hi] if hi > lo else 0].tobytes()
        cuts = (self.offsets[lo : hi + 1] - start).tolist()
        return np.array([data[a:b].decode() for a, b in pairwise(cuts)], dtype=TEXT)

    def find(self, user_id: int | str) -> int | None:
        """Find the dense id of a user's id; None if no vertex has it."""
        if isinstance(user_id, int) and integer(shown(user_id)) is None:
            return None
        wanted = str(user_id).encode(errors="surrogatepass")
        lo, hi = 0, len(self)
        while lo < hi:
            middle = (lo + hi) // 2
            if self._name(middle) < wanted:
                lo = middle + 1
            else:
                hi = middle
        return lo if lo < len(self) and self._name(lo) == wanted else None

    def dense_array(self, values: ArrayLike) -> NDArray[np.uint64]:
        """Return the dense ids of many vertices, shape and order of ``values``."""
        given = np.asarray(values, object if isinstance(values, list) else None)
        names = given.reshape(-1).tolist()
        few = HASHED * len(names) < len(self) or len(self) >= 2**31
        if few or not all(isinstance(name, str) and name.isprintable() for name in names):
            return super().dense_array(given)
        import pyarrow as pa
        from pyarrow import compute

        buffers = [pa.py_buffer(np.ascontiguousarray(part)) for part in (self.offsets, self.text)]
        known = pa.LargeStringArray.from_buffers(len(self), *buffers)
        places = compute.index_in(pa.array(names, pa.large_string()), known)
        if places.null_count:
            self.dense(names[places.is_null().index(True).as_py()])
        found: NDArray[np.uint64] = places.to_numpy(zero_copy_only=False).astype(np.uint64)
        return found.reshape(given.shape)

    def describe(self) -> str:
        """Describe the ids that exist, for messages."""
        if not len(self):
            return "it has no vertices"
        first, last = self._name(0).decode(), self._name(len(self) - 1).decode()
        return f"its {len(self)} ids are strings, in order from {first!r} to {last!r}"

    def payload(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that `lux.io.files.stored_ids.from_arrays` needs besides ``kind``."""
        return {"text": self.text, "offsets": self.offsets}


class Bipartite(VertexIds):
    """Two id spaces: dense ids of the left vertices come first. A user writes ``left:ID`` or ``right:ID``.

    >>> both = Bipartite(Offset(2, 1), Offset(3, 1))
    >>> both.dense("right:1"), both.labels(1, 3).tolist()
    (2, ['left:2', 'right:1'])
    """

    kind = "bipartite"

    def __init__(self, left: VertexIds, right: VertexIds) -> None:
        self.left, self.right = left, right

    def select(self, chosen: NDArray[np.int64]) -> VertexIds:
        """Return the ids of some vertices; a side may be empty then."""
        n_left = len(self.left)
        sides = (self.left, chosen[chosen < n_left]), (self.right, chosen[chosen >= n_left] - n_left)
        return Bipartite(*(side.select(part) if len(part) else Identity(0) for side, part in sides))

    def __len__(self) -> int:
        return len(self.left) + len(self.right)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the user's ids."""
        return TEXT

    def labels(self, lo: int, hi: int) -> NDArray[Any]:
        """Return the user's ids of the dense ids lo to hi - 1."""
        cut = len(self.left)
        left = self.left.labels(min(lo, cut), min(hi, cut)).tolist()
        right = self.right.labels(max(lo - cut, 0), max(hi - cut, 0)).tolist()
        return np.array([f"left:{name}" for name in left] + [f"right:{name}" for name in right], dtype=TEXT)

    def find(self, user_id: int | str) -> int | None:
        """Find the dense id of a user's id; None if no vertex has it."""
        if not isinstance(user_id, str):
            return None
        side, colon, name = user_id.partition(":")
        if not colon or side not in ("left", "right"):
            return None
        found = (self.left if side == "left" else self.right).find(name)
        return found if found is None or side == "left" else found + len(self.left)

    def describe(self) -> str:
        """Describe the ids that exist, for messages."""
        return f"write left:ID or right:ID; left: {self.left.describe()}; right: {self.right.describe()}"

    def payload(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that `lux.io.files.stored_ids.from_arrays` needs besides ``kind``."""
        sides = (("left", self.left), ("right", self.right))
        return {f"{side}.{key}": value for side, ids in sides for key, value in ids.to_arrays().items()}


def offset(n: int, base: int) -> Offset:
    """Return ``n`` consecutive integers from ``base``: `Identity` for base 0."""
    return Identity(n) if base == 0 else Offset(n, base)
