# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

# TensorType of TensorFlow Lite's schema
DTYPES: dict[int, np.dtype[Any]] = {number: np.dtype(name) for number, name in {
    0: 'float32', 1: 'float16', 2: 'int32', 3: 'uint8', 4: 'int64', 6: 'bool', 7: 'int16', 9: 'int8'}.items()}


@dataclass(frozen=True)
class Tensor:
    """An input or output of a model.

    name: in the file
    index: its position among the tensors of the file
    shape: dimensions in the order of the file, NHWC for images
    dtype: of the elements as they are stored
    scale, zero_point: quantization: real = (stored - zero_point) * scale; scale 0: not quantized
    """
    name: str
    index: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    scale: float
    zero_point: int

    def quantize(self, real: Any) -> np.ndarray[Any, Any]:
        """Real numbers as they are stored: rounded, and cut to the range of dtype. Without quantization: converted."""
        values = np.asarray(real)
        if not self.scale:
            return values.astype(self.dtype)
        values = values.astype(np.float64) / self.scale
        if np.isnan(values).any():
            raise ValueError(f'{self}: a value is not a number, which {self.dtype} cannot express')
        # half away from zero, as NNAPI's QUANTIZE
        values = np.copysign(np.floor(np.abs(values) + 0.5), values) + self.zero_point
        limits = np.iinfo(self.dtype)
        return np.clip(values, limits.min, limits.max).astype(self.dtype)

    def dequantize(self, stored: Any) -> np.ndarray[Any, Any]:
        """Stored numbers as real ones, float32. Without quantization: converted."""
        values = np.asarray(stored)
        if not self.scale:
            return values.astype(np.float32)
        return ((values.astype(np.float64) - self.zero_point) * self.scale).astype(np.float32)

    def stored(self, value: Any) -> np.ndarray[Any, Any]:
        """@value as an array of this tensor's shape and dtype. Floats are quantized; a leading dimension of 1 may be missing."""
        array = np.asarray(value)
        if array.dtype != self.dtype:
            array = self._converted(array)
        if array.shape != self.shape and (1,) + array.shape == self.shape:
            array = array[np.newaxis]
        if array.shape != self.shape:
            raise ValueError(f'{self}: the array has shape {array.shape}')
        return array

    def _converted(self, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        if array.dtype.kind == 'f' and self.scale:
            return self.quantize(array)
        if array.dtype.kind == 'f' and self.dtype.kind == 'f':
            return array.astype(self.dtype)
        if array.dtype.kind in 'iub' and self.dtype.kind in 'iu':
            limits = np.iinfo(self.dtype)
            if array.size and (array.min() < limits.min or array.max() > limits.max):
                raise ValueError(f'{self}: a number of the array is beyond {self.dtype}')
            return array.astype(self.dtype)
        if array.dtype.kind in 'iu' and self.dtype.kind == 'f':
            return array.astype(self.dtype)
        raise TypeError(f'{self}: the array has {array.dtype}')

    def __str__(self) -> str:
        quantization = f', scale {self.scale:g}, zero point {self.zero_point}' if self.scale else ''
        return f'tensor {self.name} ({self.dtype}, shape {self.shape}{quantization})'
