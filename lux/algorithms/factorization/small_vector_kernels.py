# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, no-check-untyped-defs
"""Short vectors in registers: dot products, scaled sums, and sums of outer products, for factors of length K.

LLVM's own vectorizer expects long loops; rows of ten to a hundred numbers would mostly run in its scalar remainders.
Arrays are contiguous and of one floating type; places in them are counted in elements. Working arrays have rows of
`LANES` times a whole number, padded with zeros; factors in stores are not padded, and their last elements are loaded
with a mask. An LLVM vector of 32 bytes is one register with AVX and two without.
"""

# The names and annotations of intrinsics are read by Numba.
from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

LANES = 8
"""Rows of working arrays are padded to a multiple of this many elements."""
TILE_ROWS = 4
"""Rows of a tile of `add_products`: with three vectors in each, twelve of the sixteen registers that AVX2 has."""
_VECTOR_BYTES = 32
_CONTRACT = ("contract",)
"""Lets a product and a sum become one instruction, where the machine has it."""
_BIT, _INDEX = ir.IntType(1), ir.IntType(32)


class _Elements:
    """The elements of an array, by vectors and one by one."""

    def __init__(self, context, builder, array_type, array, at):
        self.builder = builder
        self.first = builder.gep(make_array(array_type)(context, builder, array).data, [at])
        self.scalar = context.get_value_type(array_type.dtype)
        self.align = array_type.dtype.bitwidth // 8
        self.lanes = _VECTOR_BYTES // self.align
        self.vector = ir.VectorType(self.scalar, self.lanes)
        self.name = f"v{self.lanes}f{8 * self.align}"

    def _place(self, at):
        return self.builder.bitcast(self.builder.gep(self.first, [at]), self.vector.as_pointer())

    def load(self, at):
        return self.builder.load(self._place(at), align=self.align)

    def store(self, value, at):
        self.builder.store(value, self._place(at), align=self.align)

    def load_some(self, at, count):
        """Return a vector with the next ``count`` elements, and zeros."""
        numbers = ir.Constant(ir.VectorType(_INDEX, self.lanes), list(range(self.lanes)))
        mask = self.builder.icmp_unsigned("<", numbers, self.equal(self.builder.trunc(count, _INDEX)))
        place = self._place(at)
        kind = ir.FunctionType(self.vector, [place.type, _INDEX, mask.type, self.vector])
        load = cgutils.get_or_insert_function(self.builder.module, kind, f"llvm.masked.load.{self.name}.p0")
        return self.builder.call(load, [place, _INDEX(self.align), mask, ir.Constant(self.vector, None)])

    def equal(self, scalar):
        """Return a vector of equal elements."""
        kind = ir.VectorType(scalar.type, self.lanes)
        nothing = ir.Constant(kind, ir.Undefined)
        one = self.builder.insert_element(nothing, scalar, _INDEX(0))
        return self.builder.shuffle_vector(one, nothing, ir.Constant(ir.VectorType(_INDEX, self.lanes), None))

    def spread(self, at):
        """Return a vector of one element's value."""
        return self.equal(self.builder.load(self.builder.gep(self.first, [at])))

    def add_product(self, total, x, y):
        return self.builder.fadd(total, self.builder.fmul(x, y, flags=_CONTRACT), flags=_CONTRACT)

    def sum(self, vector):
        """Return the sum of a vector's elements."""
        kind = ir.FunctionType(self.scalar, [self.scalar, self.vector])
        add = cgutils.get_or_insert_function(self.builder.module, kind, f"llvm.vector.reduce.fadd.{self.name}")
        return self.builder.call(add, [ir.Constant(self.scalar, -0.0), vector], fastmath=("reassoc",))


def _by_vectors(builder, lanes, length, body):
    """Call ``body(place, load)`` for whole vectors, and for the rest, which ``load`` pads with zeros."""
    whole = builder.and_(length, length.type(-lanes))
    with cgutils.for_range_slice(builder, length.type(0), whole, length.type(lanes)) as (k, _):
        body(k, lambda elements: elements.load(k))
    rest = builder.sub(length, whole)
    with builder.if_then(builder.icmp_signed(">", rest, rest.type(0))):
        body(whole, lambda elements: elements.load_some(whole, rest))


@intrinsic
def copy(context, y, y_at, x, x_at, length):
    """Copy ``length`` elements, and zeros up to the next multiple of `LANES`."""

    def build(ctx, builder, signature, args):
        to = _Elements(ctx, builder, signature.args[0], args[0], args[1])
        a = _Elements(ctx, builder, signature.args[2], args[2], args[3])
        _by_vectors(builder, a.lanes, args[4], lambda k, load: to.store(load(a), k))
        return ctx.get_dummy_value()

    return types.none(y, types.intp, x, types.intp, types.intp), build


@intrinsic
def dot(context, x, x_at, y, y_at, length):
    """Sum of the products of ``length`` elements of two arrays."""

    def build(ctx, builder, signature, args):
        a = _Elements(ctx, builder, signature.args[0], args[0], args[1])
        b = _Elements(ctx, builder, signature.args[2], args[2], args[3])
        total = cgutils.alloca_once(builder, a.vector)
        builder.store(ir.Constant(a.vector, None), total)

        def add(_, load):
            builder.store(a.add_product(builder.load(total), load(a), load(b)), total)

        _by_vectors(builder, a.lanes, args[4], add)
        return a.sum(builder.load(total))

    return x.dtype(x, types.intp, y, types.intp, types.intp), build


@intrinsic
def add_scaled(context, y, y_at, factor, x, x_at, length):
    """``y += factor * x`` over ``length`` elements; ``y`` is padded."""

    def build(ctx, builder, signature, args):
        total = _Elements(ctx, builder, signature.args[0], args[0], args[1])
        a = _Elements(ctx, builder, signature.args[3], args[3], args[4])
        factors = a.equal(args[2])

        def add(k, load):
            total.store(total.add_product(total.load(k), factors, load(a)), k)

        _by_vectors(builder, a.lanes, args[5], add)
        return ctx.get_dummy_value()

    return types.none(y, types.intp, y.dtype, x, types.intp, types.intp), build


def _tile(builder, out, left, right, i, j, stride, count, vectors):
    """Add ``count`` outer products to the tile at (i, j): `TILE_ROWS` rows of ``vectors`` vectors, in registers."""
    number = i.type

    def place(row, column, c):
        return builder.add(builder.mul(row, stride), builder.add(column, number(c * out.lanes)))

    places = [[place(builder.add(i, number(r)), j, c) for c in range(vectors)] for r in range(TILE_ROWS)]
    totals = [[cgutils.alloca_once(builder, out.vector) for _ in row] for row in places]
    for r in range(TILE_ROWS):
        for at, total in zip(places[r], totals[r], strict=True):
            builder.store(out.load(at), total)
    with cgutils.for_range(builder, count) as loop:
        ys = [right.load(place(loop.index, j, c)) for c in range(vectors)]
        x_at = place(loop.index, i, 0)
        for r in range(TILE_ROWS):
            x = left.spread(builder.add(x_at, number(r)))
            for y, total in zip(ys, totals[r], strict=True):
                builder.store(out.add_product(builder.load(total), x, y), total)
    for r in range(TILE_ROWS):
        for at, total in zip(places[r], totals[r], strict=True):
            out.store(builder.load(total), at)


@intrinsic
def add_products(context, out, left, left_at, right, right_at, stride, count, first, end):
    """Add the outer products of rows of two arrays to the upper triangle of a matrix.

    All have rows of ``stride`` elements, a multiple of `LANES`. Row t of ``left`` begins at ``left_at + t * stride``.
    ``out[i, j] += sum over t < count of left[t, i] * right[t, j]`` for rows ``first <= i < end`` and columns
    ``i <= j < stride``; elements left of the diagonal get any value. ``first`` is a multiple of `TILE_ROWS`; rows
    up to the next multiple above ``end`` are written.
    """

    def build(ctx, builder, signature, args):
        stride, count, first, end = args[5:]
        number = stride.type
        starts = ((0, number(0)), (1, args[2]), (3, args[4]))
        out, left, right = (_Elements(ctx, builder, signature.args[k], args[k], at) for k, at in starts)
        j = cgutils.alloca_once(builder, number)
        with cgutils.for_range_slice(builder, first, end, number(TILE_ROWS)) as (i, _):
            builder.store(builder.and_(i, number(-out.lanes)), j)
            for vectors in (3, 2, 1):  # only the widest is repeated
                wide = number(vectors * out.lanes)
                check, body, done = (
                    builder.append_basic_block(f"{what}_{vectors}") for what in ("check", "tile", "done")
                )
                builder.branch(check)
                builder.position_at_end(check)
                left_over = builder.sub(stride, builder.load(j))
                builder.cbranch(builder.icmp_signed(">=", left_over, wide), body, done)
                builder.position_at_end(body)
                column = builder.load(j)
                _tile(builder, out, left, right, i, column, stride, count, vectors)
                builder.store(builder.add(column, wide), j)
                builder.branch(check if vectors == 3 else done)
                builder.position_at_end(done)
        return ctx.get_dummy_value()

    whole = types.intp
    return types.none(out, left, whole, right, whole, whole, whole, whole, whole), build
