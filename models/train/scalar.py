# SPDX-License-Identifier: Apache-2.0
"""Evaluates a model read by reader.py in plain Python: one element after the other, integers and
doubles. It shares nothing with the numpy evaluation whose results it checks."""

import math
import struct
from operator import mul

ACTIVATION_LIMITS = {0: (-math.inf, math.inf), 1: (0.0, math.inf), 3: (0.0, 6.0)}
SAME = 0


def _single(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def _clamp(value, low, high):
    return min(max(value, low), high)


def _window(size, kernel, stride, padding):
    """For each output position, the (input position, kernel position) pairs inside the input."""
    if padding == SAME:
        out = (size + stride - 1) // stride
        before = max((out - 1) * stride + kernel - size, 0) // 2
    else:
        out, before = (size - kernel) // stride + 1, 0
    return [[(start + k, k) for k in range(kernel) if 0 <= start + k < size]
            for start in range(-before, -before + out * stride, stride)]


def _windows(op, shape, kernel):
    """Per output pixel, in order: the (row, column, kernel row, kernel column) that it sees."""
    rows = _window(shape[1], kernel[0], op["stride_h"], op["padding"])
    columns = _window(shape[2], kernel[1], op["stride_w"], op["padding"])
    return [[(y, x, ky, kx) for y, ky in row for x, kx in column]
            for row in rows for column in columns]


class _Evaluation:
    def __init__(self, model, data):
        self.tensors = model["tensors"]
        self.quantized = self.tensors[model["inputs"][0]]["dtype"] == "INT8"
        self.values = {model["inputs"][0]: list(data)}
        for index, tensor in enumerate(self.tensors):
            if tensor["data"] is not None:
                self.values[index] = tensor["data"]
        self.total = sum if self.quantized else math.fsum
        for op in model["ops"]:
            kernel = getattr(self, "_" + op["kind"].lower())
            self.values[op["outputs"][0]] = kernel(op)

    def _centred(self, index):
        """The values without their zero point."""
        if not self.quantized:
            return self.values[index]
        zero = self.tensors[index]["zero_point"][0]
        return [value - zero for value in self.values[index]]

    def _finish(self, op, totals):
        """Sums in bias units -> outputs; the channel is the innermost dimension."""
        output = self.tensors[op["outputs"][0]]
        low, high = ACTIVATION_LIMITS[op["activation"]]
        if not self.quantized:
            return [_clamp(value, low, high) for value in totals]
        scales = self.tensors[op["inputs"][1]]["scale"]
        source = self.tensors[op["inputs"][0]]["scale"][0]
        channels = output["shape"][-1]
        factors = [_single(source * scales[c % len(scales)]) / output["scale"][0]
                   for c in range(channels)]
        return [self._store(round(value * factors[place % channels]), op, output)
                for place, value in enumerate(totals)]

    @staticmethod
    def _store(steps, op, output):
        scale, zero = output["scale"][0], output["zero_point"][0]
        low, high = ACTIVATION_LIMITS[op["activation"]]
        low = -128 if low == -math.inf else max(-128, zero + round(low / scale))
        high = 127 if high == math.inf else min(127, zero + round(high / scale))
        return _clamp(steps + zero, low, high)

    def _conv_2d(self, op):
        source, weights, bias = op["inputs"]
        _, height, width, depth = self.tensors[source]["shape"]
        channels, kernel_h, kernel_w, _ = self.tensors[weights]["shape"]
        x, w, b = self._centred(source), self.values[weights], self.values[bias]
        size = kernel_h * kernel_w * depth
        filters = [w[c * size:(c + 1) * size] for c in range(channels)]
        totals = []
        for window in _windows(op, (1, height, width), (kernel_h, kernel_w)):
            patch = [0] * size
            for y, column, ky, kx in window:
                start, place = (y * width + column) * depth, (ky * kernel_w + kx) * depth
                patch[place:place + depth] = x[start:start + depth]
            totals += [self.total([b[c], *map(mul, patch, filters[c])]) for c in range(channels)]
        return self._finish(op, totals)

    def _depthwise_conv_2d(self, op):
        source, weights, bias = op["inputs"]
        _, height, width, depth = self.tensors[source]["shape"]
        _, kernel_h, kernel_w, channels = self.tensors[weights]["shape"]
        x, w, b = self._centred(source), self.values[weights], self.values[bias]
        totals = []
        for window in _windows(op, (1, height, width), (kernel_h, kernel_w)):
            for c in range(channels):
                products = [x[(y * width + column) * depth + c // op["multiplier"]]
                            * w[(ky * kernel_w + kx) * channels + c]
                            for y, column, ky, kx in window]
                totals.append(self.total([b[c], *products]))
        return self._finish(op, totals)

    def _fully_connected(self, op):
        source, weights, bias = op["inputs"]
        channels, depth = self.tensors[weights]["shape"]
        x, w = self._centred(source), self.values[weights]
        return self._finish(op, [
            self.total([self.values[bias][c], *map(mul, x, w[c * depth:(c + 1) * depth])])
            for c in range(channels)])

    def _add(self, op):
        a, b = (self._centred(index) for index in op["inputs"])
        if not self.quantized:
            low, high = ACTIVATION_LIMITS[op["activation"]]
            return [_clamp(x + y, low, high) for x, y in zip(a, b)]
        a_scale, b_scale = (self.tensors[index]["scale"][0] for index in op["inputs"])
        output = self.tensors[op["outputs"][0]]
        return [self._store(round((x * a_scale + y * b_scale) / output["scale"][0]), op, output)
                for x, y in zip(a, b)]

    def _average_pool_2d(self, op):
        source = op["inputs"][0]
        _, height, width, depth = self.tensors[source]["shape"]
        x, result = self.values[source], []
        output = self.tensors[op["outputs"][0]]
        for window in _windows(op, (1, height, width), (op["filter_h"], op["filter_w"])):
            for c in range(depth):
                seen = [x[(y * width + column) * depth + c] for y, column, _, _ in window]
                mean = math.fsum(seen) / len(seen)
                if self.quantized:      # half away from zero
                    steps = int(math.copysign(math.floor(abs(mean) + 0.5), mean))
                    mean = self._store(steps - output["zero_point"][0], op, output)
                result.append(mean)
        return result

    def _reshape(self, op):
        return self.values[op["inputs"][0]]

    def _slice(self, op):
        source, begin, size = op["inputs"]
        _, columns = self.tensors[source]["shape"]
        (top, left), (height, width) = self.values[begin], self.values[size]
        x = self.values[source]
        return [x[row * columns + column] for row in range(top, top + height)
                for column in range(left, left + width)]

    def _softmax(self, op):
        x = self.values[op["inputs"][0]]
        factor = op["beta"]
        if self.quantized:
            factor *= self.tensors[op["inputs"][0]]["scale"][0]
        powers = [math.exp((value - max(x)) * factor) for value in x]
        scores = [power / math.fsum(powers) for power in powers]
        if not self.quantized:
            return scores
        output = self.tensors[op["outputs"][0]]
        return [_clamp(round(score / output["scale"][0]) + output["zero_point"][0], -128, 127)
                for score in scores]


def evaluate(model, data):
    """Values of all tensors by index; data: the elements of the only input, in order."""
    return _Evaluation(model, data).values
