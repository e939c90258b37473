# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Optional


class Error(RuntimeError):
    """A failure of a device, of the runtime, or of the system.

    code: NNAPI's result code (ANEURALNETWORKS_OP_FAILED is 5), or None.
    """

    def __init__(self, message: str, code: Optional[int] = None):
        super().__init__(message)
        self.code = code


class ModelError(Error, ValueError):
    """A file that is no valid model, or that NNAPI cannot express; the message names the operation and the tensor."""
