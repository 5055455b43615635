# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Primitives for the threads of one task share: atomic operations on arrays, and a barrier (`lux.runtime.run_team`)."""

from __future__ import annotations

import numpy as np

from lux.kernels.deferred import Deferred, arrayobj, cgutils, intrinsic, ir, types
from lux.kernels.inlined import inlined

BARRIER_WORDS = 32
"""Length of the int64 array, all zero at first, that the threads of a barrier share: two cache lines of counters,
each with a neighbour that the hardware may fetch along."""
_ARRIVED, _ROUND = 0, 16
MEET = 8
"""Word of a barrier's array that may have the address of a function that meets, followed by its first argument: the
threads of a launch may be fibers, which must not spin (`lux.runtime.exchange.IterationExchange.set_barrier`)."""
OFFER = 4
"""Word of `exchange`'s ``how`` that may have the address of a function that takes offers; `OFFER_WORDS` follow."""
OFFER_WORDS = 4
"""Words of an offer: the copy, where vertices end, the address of members, and how many they are."""
PUT = OFFER + OFFER_WORDS + 1
"""Word of `exchange`'s ``how`` that has the address of a function that puts, then that of one that waits for a flag;
`PUT_WORDS` follow, for their arguments."""
PUT_WORDS = 6
_SPINS = 4096
"""Spins at the barrier before a waiting thread yields its core."""


def _place(context, builder, array_type, array, index):
    return builder.gep(arrayobj.make_array(array_type)(context, builder, array).data, [index])


@intrinsic
def atomic_add(context, array, index, value):
    """Add to an element of an int64 array for all threads to see; returns the value before."""

    def build(ctx, builder, signature, args):
        place = _place(ctx, builder, signature.args[0], args[0], args[1])
        return builder.atomic_rmw("add", place, args[2], "seq_cst")

    return types.int64(array, types.intp, types.int64), build


@intrinsic
def compare_exchange(context, array, index, expected, value):
    """Change an element of an array of integers to ``value`` if it is ``expected``; returns whether it was."""

    def build(ctx, builder, signature, args):
        place = _place(ctx, builder, signature.args[0], args[0], args[1])
        found = builder.cmpxchg(place, args[2], args[3], "seq_cst", "monotonic")
        return builder.extract_value(found, 1)

    return types.boolean(array, types.intp, array.dtype, array.dtype), build


@intrinsic
def atomic_min(context, array, index, value):
    """Lower an element of an array of integers to ``value`` if that is smaller; returns the value before."""

    def build(ctx, builder, signature, args):
        place = _place(ctx, builder, signature.args[0], args[0], args[1])
        return builder.atomic_rmw("min" if array.dtype.signed else "umin", place, args[2], "seq_cst")

    return array.dtype(array, types.intp, array.dtype), build


@intrinsic
def atomic_load(context, array, index):
    """Load an element of an int64 array as other threads have written it last."""

    def build(ctx, builder, signature, args):
        place = _place(ctx, builder, signature.args[0], args[0], args[1])
        return builder.load_atomic(place, "seq_cst", 8)

    return types.int64(array, types.intp), build


@intrinsic
def atomic_store(context, array, index, value):
    """Write an element of an int64 array for all threads to see."""

    def build(ctx, builder, signature, args):
        place = _place(ctx, builder, signature.args[0], args[0], args[1])
        builder.store_atomic(args[2], place, "seq_cst", 8)
        return ctx.get_dummy_value()

    return types.none(array, types.intp, types.int64), build


@intrinsic
def peek(context, array, index):
    """Load an element of an array of numbers that other threads may be writing: some value that it had."""

    def build(ctx, builder, signature, args):
        place = _place(ctx, builder, signature.args[0], args[0], args[1])
        return builder.load_atomic(place, "monotonic", array.dtype.bitwidth // 8)

    return array.dtype(array, types.intp), build


@intrinsic
def call_native(context, address, first, second, third):
    """Call the C function at an address with three int64 numbers; it returns nothing."""

    def build(ctx, builder, signature, args):
        word = ir.IntType(64)
        function = ir.FunctionType(ir.VoidType(), [word] * 3).as_pointer()
        builder.call(builder.inttoptr(args[0], function), args[1:])
        return ctx.get_dummy_value()

    return types.none(types.int64, types.int64, types.int64, types.int64), build


@intrinsic
def _relax(context):
    """Tell the core that this thread is waiting."""

    def build(ctx, builder, signature, args):
        hint(builder)
        return ctx.get_dummy_value()

    return types.none(), build


def hint(builder):
    """Add the instruction by which a waiting thread leaves its core to others: pause, on aarch64 yield."""
    machine, nothing = builder.module.triple.partition("-")[0], ir.VoidType()
    if machine == "x86_64":
        pause = ir.FunctionType(nothing, [])
        builder.call(cgutils.get_or_insert_function(builder.module, pause, "llvm.x86.sse2.pause"), [])
    elif machine == "aarch64":
        number = ir.IntType(32)
        give_way = ir.FunctionType(nothing, [number])
        builder.call(cgutils.get_or_insert_function(builder.module, give_way, "llvm.aarch64.hint"), [number(1)])


_sched_yield = Deferred(lambda: types.ExternalFunction("sched_yield", types.int32()))


@inlined
def exchange(how, written):
    """Exchange an iteration's values with other processes, together with all threads of this one.

    ``how`` has the address of the function, the number of the exchange, and that of the calling thread; ``written`` is
    the copy of the fields that the iteration wrote.
    """
    call_native(how[0], how[1], how[2], written)


@inlined
def offer(how, written, end, members, count):
    """Offer values that are final to other processes, so that they may travel during the iteration.

    They are those of this thread's vertices before ``end``, in the copy ``written``. Of programs with a frontier the
    first ``count`` of ``members``, local vertices at an address, have changed. The last offer of an iteration has all.
    """
    if len(how) != 0 and how[OFFER] != 0:
        how[OFFER + 1], how[OFFER + 2], how[OFFER + 3], how[OFFER + 4] = written, end, members, count
        call_native(how[OFFER], how[1], how[2], how.ctypes.data + 8 * (OFFER + 1))


@inlined
def put(how, process, source, first, words, at, flag, value):
    """Put words of an int64 or uint64 array into another process's memory, while this thread goes on.

    They are ``source[first : first + words]``, and stay as they are until the next `exchange`. There they lie from the
    word ``at`` on when ``flag`` has the ``value`` (`lux.runtime.exchange.MessageExchange.receive_puts`), for which some
    thread there waits before its launch ends.
    """
    how[PUT + 2], how[PUT + 3], how[PUT + 4] = process, source.ctypes.data + 8 * first, words
    how[PUT + 5], how[PUT + 6], how[PUT + 7] = at, flag, value
    call_native(how[PUT], how[1], how[2], how.ctypes.data + 8 * (PUT + 2))


@inlined
def wait_for_flag(how, flags, flag, value, other):
    """Wait until a flag has ``value`` at least, and see what was put or written before.

    ``other`` is True if another process puts it, False if a thread of this one raises it (`atomic_store`).
    """
    if atomic_load(flags, flag) < value:
        how[PUT + 2], how[PUT + 3], how[PUT + 4] = flag, value, np.int64(other)
        call_native(how[PUT + 1], how[1], how[2], how.ctypes.data + 8 * (PUT + 2))


@inlined
def record(how, numbers):
    """Record four numbers of an iteration; ``how`` goes on, after that of `exchange`, with a function's address."""
    call_native(how[3], how[1], how[2], numbers.ctypes.data)


@inlined
def wait_for(array, index, value):
    """Wait until another thread has raised an element of an int64 array to ``value``, and see what it wrote before."""
    spins = 0
    while atomic_load(array, index) < value:
        _relax()
        spins += 1
        if spins >= _SPINS:
            _sched_yield()
            spins = 0


@inlined
def barrier(meeting, size):
    """Wait until ``size`` threads have arrived; all of them see what each wrote before."""
    if size == 1:
        return
    if meeting[MEET] != 0:
        call_native(meeting[MEET], meeting[MEET + 1], np.int64(0), np.int64(0))
        return
    this_round = atomic_load(meeting, _ROUND)
    if atomic_add(meeting, _ARRIVED, np.int64(1)) == size - 1:
        atomic_store(meeting, _ARRIVED, np.int64(0))
        atomic_store(meeting, _ROUND, this_round + 1)
        return
    wait_for(meeting, _ROUND, this_round + 1)
