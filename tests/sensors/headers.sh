#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# headers.sh LIB-DIR [C++-COMPILER]: each public header of libnnsensors stands alone, beside Android's hardware_buffer.h as
# well, and the layouts hold that the NDK gives them, in several versions of C and, where there is a compiler, of C++.
set -euo pipefail

lib=$1
cxx=${2:-}
flags=(-Wall -Wextra -Werror -Wpedantic -fsyntax-only -I "$lib/libnnsensors" -I "$lib/libnnsensors/include"
	-I "$lib/libnativewindow/include")
headers=(nnsensors.h nnsensors_records.h android/looper.h android/sensor.h)

layouts()
{
	cat <<-'END'
	#include <stddef.h>
	#include "android/hardware_buffer.h"
	#include "android/sensor.h"
	#include "nnsensors.h"
	#ifdef __cplusplus
	#define CHECK(what) static_assert(what, #what)
	#else
	#define CHECK(what) _Static_assert(what, #what)
	#endif
	CHECK(sizeof(ASensorEvent) == 104);
	CHECK(offsetof(ASensorEvent, sensor) == 0x04);
	CHECK(offsetof(ASensorEvent, type) == 0x08);
	CHECK(offsetof(ASensorEvent, timestamp) == 0x10);
	CHECK(offsetof(ASensorEvent, data) == 0x18);
	CHECK(offsetof(ASensorEvent, acceleration.status) == 0x24);
	CHECK(offsetof(ASensorEvent, uncalibrated_gyro.bias) == 0x24);
	CHECK(offsetof(ASensorEvent, heart_rate.status) == 0x1c);
	CHECK(offsetof(ASensorEvent, meta_data.sensor) == 0x1c);
	CHECK(offsetof(ASensorEvent, dynamic_sensor_meta.handle) == 0x1c);
	CHECK(offsetof(ASensorEvent, additional_info.data_int32) == 0x20);
	CHECK(offsetof(ASensorEvent, u64.step_counter) == 0x18);
	CHECK(offsetof(ASensorEvent, flags) == 0x58);
	CHECK(sizeof(struct nnsensors_event) == sizeof(ASensorEvent));
	CHECK(offsetof(struct nnsensors_event, u) == offsetof(ASensorEvent, data));
	CHECK(offsetof(struct nnsensors_record, token) == 0x04);
	CHECK(offsetof(struct nnsensors_record, type) == 0x08);
	CHECK(offsetof(struct nnsensors_record, counter) == 0x0c);
	CHECK(offsetof(struct nnsensors_record, timestamp) == 0x10);
	CHECK(offsetof(struct nnsensors_record, u) == 0x18);
	CHECK(offsetof(struct nnsensors_record, reserved) == 0x58);
	END
}

compile() # what compiler...: stdin
{
	local what=$1

	shift
	"$@" "${flags[@]}" - || {
		echo "headers.sh: $what with $*" >&2
		exit 1
	}
}

check() # compiler...
{
	local header

	for header in "${headers[@]}"; do
		printf '#include "%s"\n#include "%s"\n' "$header" "$header" | compile "$header" "$@"
	done
	layouts | compile "the layouts" "$@"
}

for std in c11 gnu11 c17; do
	check cc -x c "-std=$std"
done
if [ -n "$cxx" ]; then
	for std in c++11 c++17 gnu++20; do
		check "$cxx" -x c++ "-std=$std" -Wno-invalid-offsetof
	done
fi
