# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Arrays in a GPU's memory that other libraries made: CuPy, PyTorch, Numba, JAX and columns of cuDF."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.errors import ConfigurationError, ParameterError


@dataclass(frozen=True)
class DeviceArray:
    """An array of shape (n,) in a GPU's memory, which ``owner`` keeps.

    Attributes
    ----------
    address : int
    size : int
    dtype : np.dtype
    owner : object
    """

    address: int
    size: int
    dtype: np.dtype[Any]
    owner: Any

    def __len__(self) -> int:
        return self.size

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return 1

    @property
    def shape(self) -> tuple[int]:
        """The shape."""
        return (self.size,)

    def to_numpy(self) -> NDArray[Any]:
        """Copy the array to the host."""
        array = np.empty(self.size, self.dtype)
        _check(_cuda().cuMemcpyDtoH_v2(ctypes.c_void_p(array.ctypes.data), ctypes.c_uint64(self.address), array.nbytes))
        return array


def device_array(values: Any) -> DeviceArray | None:
    """Return an array that offers ``__cuda_array_interface__``, whose pending work is awaited; None for all others.

    Raises
    ------
    ParameterError
        It has several dimensions, gaps between elements, or a mask.
    ConfigurationError
        Lux runs without GPUs.
    """
    # PyTorch has the attribute on every tensor, and raises an AttributeError where one is not on a GPU.
    interface = getattr(values, "__cuda_array_interface__", None)
    if interface is None:
        return None
    dtype, shape, strides = np.dtype(interface["typestr"]), interface["shape"], interface.get("strides")
    if len(shape) != 1:
        raise ParameterError(f"an edge list's columns are one-dimensional arrays, not of shape {tuple(shape)}")
    if strides not in (None, (dtype.itemsize,)) and shape[0] > 1:
        raise ParameterError("a column on a GPU has gaps between its elements: pass a contiguous copy")
    if interface.get("mask") is not None:
        raise ParameterError("a column on a GPU has a mask: leave out edges whose ends are missing")
    if runtime.gpus() == 0:
        raise ConfigurationError(
            "a column is in a GPU's memory, but Legate was given no GPU: start it with --gpus 1, or pass a NumPy array"
        )
    _current_context()
    if (stream := interface.get("stream")) is not None:
        _check(_cuda().cuStreamSynchronize(ctypes.c_void_p(stream)))
    elif interface.get("version", 0) < 3:
        _check(_cuda().cuCtxSynchronize())
    return DeviceArray(int(interface["data"][0] or 0), int(shape[0]), dtype, values)


def _cuda() -> ctypes.CDLL:
    return ctypes.CDLL("libcuda.so.1")


def _current_context() -> None:
    """Make the GPU's primary context, which all libraries share, the calling thread's."""
    device, context = ctypes.c_int(), ctypes.c_void_p()
    _check(_cuda().cuDeviceGet(ctypes.byref(device), 0))
    _check(_cuda().cuDevicePrimaryCtxRetain(ctypes.byref(context), device))
    _check(_cuda().cuCtxSetCurrent(context))


def _check(error: int) -> None:
    if error:
        raise ConfigurationError(f"the CUDA driver does not answer (error {error}): look at nvidia-smi")
