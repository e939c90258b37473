# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any, Callable, Optional


class Handle:
    """An object of the library. It is freed when nothing refers to this any more; before the objects that it needs."""

    def __init__(self, value: int, free: Callable[[int], Any], *needs: Any):
        self.value = value
        self._free: Optional[Callable[[int], Any]] = free
        self._needs = needs

    def __del__(self) -> None:
        free, self._free = self._free, None
        if free:
            free(self.value)
        self._needs = ()
