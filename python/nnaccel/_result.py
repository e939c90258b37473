# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import asyncio
import os
import select
import threading
from ctypes import byref, c_int
from typing import Any, Callable, Generator, Optional

from . import _native
from ._buffers import Buffers
from ._handle import Handle


class Result:
    """The result of Model.submit(). It can be awaited in asyncio, too."""

    def __init__(self, buffers: Buffers, take: Callable[[Buffers], Any], failure: Callable[[int], Exception],
                 release: Callable[[Buffers], None]):
        lib = _native.library()
        self._buffers: Optional[Buffers] = buffers
        self._take, self._failure, self._release = take, failure, release
        self._lock = threading.Lock()
        self._value: Any = None
        self._error: Optional[Exception] = None
        fd = c_int(-1)
        self._event: Optional[Handle] = Handle(
            _native.create(lib.ANeuralNetworksExecution_startComputeWithDependencies, buffers.execution, None, 0, 0),
            lib.ANeuralNetworksEvent_free)
        # an execution that is over may have no fence
        if lib.ANeuralNetworksEvent_getSyncFenceFd(self._event.value, byref(fd)):
            fd.value = -1
        self._fd = fd.value

    def _signaled(self, timeout: Optional[float]) -> bool:
        if self._fd < 0:
            return True
        poll = select.poll()
        poll.register(self._fd, select.POLLIN)
        return bool(poll.poll(None if timeout is None else max(timeout, 0) * 1000))

    def done(self) -> bool:
        """Whether result() returns at once."""
        with self._lock:
            return self._buffers is None or self._signaled(0)

    def _finish(self) -> None:
        """With the lock, after the signal."""
        buffers, event = self._buffers, self._event
        if buffers is None or event is None:
            return
        code = _native.library().ANeuralNetworksEvent_wait(event.value)
        self._buffers = self._event = None
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
        try:
            if code:
                raise self._failure(code)
            buffers.finish()
            self._value = self._take(buffers)
        except Exception as error:  # result() raises it
            self._error = error
        finally:
            self._release(buffers)

    def exception(self, timeout: Optional[float] = None) -> Optional[Exception]:
        """What result() raises, or None. timeout: seconds; then TimeoutError, and the execution goes on."""
        with self._lock:
            if self._buffers is not None:
                if not self._signaled(timeout):
                    raise TimeoutError(f'the execution is not over after {timeout} s')
                self._finish()
            return self._error

    def result(self, timeout: Optional[float] = None) -> Any:
        """The outputs, as Model() returns them."""
        error = self.exception(timeout)
        if error:
            raise error
        return self._value

    def __await__(self) -> Generator[Any, None, Any]:
        with self._lock:
            fd = os.dup(self._fd) if self._buffers is not None and self._fd >= 0 else -1
        if fd >= 0:
            loop = asyncio.get_running_loop()
            signal: asyncio.Future[None] = loop.create_future()

            def ready() -> None:
                if not signal.done():
                    signal.set_result(None)

            loop.add_reader(fd, ready)
            try:
                yield from signal.__await__()
            finally:
                loop.remove_reader(fd)
                os.close(fd)
        return self.result()

    def __del__(self) -> None:
        # the buffers go back to the model only when the device has left them
        if getattr(self, '_buffers', None) is not None and getattr(self, '_event', None) is not None:
            self._finish()
