#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# abi_symbols_nativewindow.sh LIBRARY PROTOTYPES: AHardwareBuffer's functions as abi_hardware_buffer.h has them and
# nothing else; the library needs libc alone, so that a process that wants a buffer gets no more.
set -euo pipefail
# shellcheck source=tests/runtime/abi_lib.sh
. "$(dirname "$0")/abi_lib.sh"

lib=$1
expect LIBNATIVEWINDOW "$(prototypes "$2")"
expect NNACCEL_PRIVATE nnaccelHardwareBuffer_open
expect_count $((12 + 1))
expect_soname libnativewindow.so
needed=$(objdump -p "$lib" | awk '$1 == "NEEDED" && $2 !~ /^lib(asan|ubsan|tsan|m|gcc_s)\./ { print $2 }')
[ "$needed" = libc.so.6 ] || { echo "$0: $lib needs $needed" >&2; exit 1; }
