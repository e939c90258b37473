# SPDX-License-Identifier: Apache-2.0
"""The runtime's explanation of a compilation (Documentation/runtime.rst, "Output of explain")."""
from __future__ import annotations

import ctypes
import json
from ctypes import byref, c_void_p
from dataclasses import dataclass, field
from typing import Any, Callable, Optional

from . import _native


@dataclass(frozen=True)
class Elsewhere:
    """A device that does not run an operation. why_not: the reason, the device's own if it gave any."""
    device: str
    supported: bool
    why_not: str
    cost: Optional[float]


@dataclass(frozen=True)
class Operation:
    """An operation and the device that runs it.

    number: in the order of execution
    name: NNAPI's, 'CONV_2D'
    device: its name; 'runtime' for IF and WHILE
    decided_by: 'support' (no other device has it), 'cost', 'order', 'transfer', 'unknown size' or 'nobody'
    operator, operator_number: of the file, if one is behind the operation
    remark: what decides only at execution
    """
    number: int
    name: str
    device: str
    decided_by: str
    cost: Optional[float]
    operator: Optional[str]
    operator_number: Optional[int]
    remark: Optional[str]
    elsewhere: tuple[Elsewhere, ...] = ()


@dataclass(frozen=True)
class Explanation:
    """result: of the compilation. reason: why a device could not prepare its part, or None. fell_back: the runtime's own
    implementation runs the whole model. raw: all of the runtime's explanation."""
    result: str
    reason: Optional[str]
    fell_back: bool
    operations: tuple[Operation, ...]
    raw: dict[str, Any] = field(repr=False, compare=False, default_factory=dict)

    def __str__(self) -> str:
        lines = [f'result {self.result}' + (f': {self.reason}' if self.reason else '')]
        for op in self.operations:
            place = f' (operator {op.operator_number}, {op.operator})' if op.operator else ''
            lines.append(f'{op.number:4} {op.name}{place}: {op.device}, decided by {op.decided_by}')
            if op.remark:
                lines.append(f'     {op.remark}')
            lines += [f'     not on {other.device}: {other.why_not}' for other in op.elsewhere]
        return '\n'.join(lines)


_free = ctypes.CDLL(None).free
_free.argtypes, _free.restype = [c_void_p], None


def raw_explanation(compilation: int) -> dict[str, Any]:
    """The runtime's JSON of a compilation that was finished, or failed to."""
    lib, text = _native.library(), c_void_p()
    _native.check(lib.nnaccelCompilation_explain(compilation, byref(text)), 'nnaccelCompilation_explain')
    try:
        parsed: dict[str, Any] = json.loads(ctypes.string_at(text.value or 0))
    finally:
        _free(text)
    return parsed


def explanation(raw: dict[str, Any], operator: Callable[[Optional[int]], tuple[Optional[str], Optional[int]]]) -> Explanation:
    """@operator: name and position in the file of the operator behind the operation that was added as number ..."""
    operations = []
    for op in raw['graphs'][0]['operations'] if raw['graphs'] else ():
        name, number = operator(op['added'])
        operations.append(Operation(
            op['operation'], op['name'], op['device'], op['decided_by'], op['cost'], name, number, op['remark'],
            tuple(Elsewhere(o['device'], bool(o['supported']), o['why_not'] or '', o['cost']) for o in op['elsewhere'])))
    return Explanation(raw['result'], raw['reason'], bool(raw['fell_back']), tuple(operations), raw)
