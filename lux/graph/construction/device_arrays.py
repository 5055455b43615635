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


class _Tensor(ctypes.Structure):
    """The ``DLTensor`` of DLPack."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
    )


_GPU_DEVICES = (2, 13)
"""DLPack's numbers for memory of a GPU, and managed memory."""
_DEFAULT_STREAM = 1
_KINDS = {0: "i", 1: "u", 2: "f", 6: "b"}
"""NumPy's letters for DLPack's numbers of kinds of types."""


def described_by_dlpack(values: Any, **asked: Any) -> tuple[dict[str, Any], object]:
    """Describe an array as ``__cuda_array_interface__`` does, from what DLPack says of it.

    Parameters
    ----------
    values : object
        It has ``__dlpack__``.
    **asked
        Arguments of ``__dlpack__``.

    Returns
    -------
    description : dict
    owner : object
        Keeps the memory.

    Raises
    ------
    ParameterError
        Its elements are no numbers of NumPy.
    """
    capsule = values.__dlpack__(**asked)
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    tensor = _Tensor.from_address(pointer(capsule, b"dltensor"))
    if tensor.lanes != 1 or tensor.code not in _KINDS:
        raise ParameterError(f"a column holds elements of DLPack's kind {tensor.code}: pass integers or floats")
    item = tensor.bits // 8
    strides = tuple(tensor.strides[k] * item for k in range(tensor.ndim)) if tensor.strides else None
    description = {
        "typestr": f"<{_KINDS[tensor.code]}{item}" if item > 1 else f"|{_KINDS[tensor.code]}1",
        "shape": tuple(tensor.shape[: tensor.ndim]),
        "strides": strides,
        "data": ((tensor.data or 0) + tensor.offset, False),
        "version": 3,
    }
    return description, (values, capsule)


def device_array(values: Any) -> DeviceArray | None:
    """Return an array in a GPU's memory, whose pending work is awaited; None for all others.

    It offers ``__cuda_array_interface__``, or ``__dlpack__``.

    Raises
    ------
    ParameterError
        It has several dimensions, gaps between elements, or a mask.
    ConfigurationError
        Lux runs without GPUs.
    """
    # PyTorch has the attribute on every tensor, and raises an AttributeError where one is not on a GPU.
    interface, owner = getattr(values, "__cuda_array_interface__", None), values
    if interface is None:
        if not hasattr(values, "__dlpack_device__") or values.__dlpack_device__()[0] not in _GPU_DEVICES:
            return None
        _refuse_without_gpus()
        _current_context()
        interface, owner = described_by_dlpack(values, stream=_DEFAULT_STREAM)
        interface["stream"] = _DEFAULT_STREAM
    dtype, shape, strides = np.dtype(interface["typestr"]), interface["shape"], interface.get("strides")
    if len(shape) != 1:
        raise ParameterError(f"an edge list's columns are one-dimensional arrays, not of shape {tuple(shape)}")
    if strides not in (None, (dtype.itemsize,)) and shape[0] > 1:
        raise ParameterError("a column on a GPU has gaps between its elements: pass a contiguous copy")
    if interface.get("mask") is not None:
        raise ParameterError("a column on a GPU has a mask: leave out edges whose ends are missing")
    _refuse_without_gpus()
    _current_context()
    if (stream := interface.get("stream")) is not None:
        _check(_cuda().cuStreamSynchronize(ctypes.c_void_p(stream)))
    elif interface.get("version", 0) < 3:
        _check(_cuda().cuCtxSynchronize())
    return DeviceArray(int(interface["data"][0] or 0), int(shape[0]), dtype, owner)


def _refuse_without_gpus() -> None:
    if runtime.gpus() == 0:
        raise ConfigurationError(
            "a column is in a GPU's memory, but Legate was given no GPU: start it with --gpus 1, or pass a NumPy array"
        )


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
