#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# install_development.sh BUILD EXAMPLES [C++-COMPILER]: what a developer finds after an installation: every header
# compiles with what pkg-config says and nothing else, a program builds against them and runs.
set -euo pipefail

build=$1 examples=$2 cxx=${3:-}
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

die()
{
	echo "install_development.sh: $*" >&2
	exit 1
}

meson install -C "$build" --no-rebuild --quiet --destdir "$stage"
pkgconfig=$(find "$stage" -name neuralnetworks.pc -printf '%h\n')
[ -n "$pkgconfig" ] || die "no neuralnetworks.pc is installed"
libdir=$(dirname "$pkgconfig")
export PKG_CONFIG_PATH='' PKG_CONFIG_LIBDIR=$pkgconfig PKG_CONFIG_SYSROOT_DIR=$stage

# PACKAGE COMPILERS HEADER...
compiles()
{
	local package=$1 compilers=$2 flags compiler header

	shift 2
	read -r -a flags <<< "$(pkg-config --cflags "$package")"
	for header in "$@"; do
		for compiler in $compilers; do
			case $compiler in
			cc) language=c ;;
			*) language=c++ ;;
			esac
			printf '#include <%s>\n' "$header" |
				"$compiler" -x "$language" -Wall -Wextra -Werror -fsyntax-only "${flags[@]}" - ||
				die "$header does not compile with $compiler ${flags[*]}"
		done
	done
}

compiles neuralnetworks "cc $cxx" android/NeuralNetworks.h android/NeuralNetworksExtensions.h \
	android/NeuralNetworksOEM.h android/NeuralNetworksSupportLibraryImpl.h android/NeuralNetworksTypes.h nnaccel_runtime.h
compiles nativewindow "cc $cxx" android/hardware_buffer.h android/rect.h
compiles nnhal "cc $cxx" nnhal.h nnhal_types.h nnmodel.h
compiles nnipc "cc $cxx" nnipc.h
compiles nnsensors "cc $cxx" nnsensors.h nnsensors_records.h android/looper.h android/sensor.h

# nothing of the build tree is in what is installed
for library in "$libdir"/lib{neuralnetworks,nativewindow,nnhal,nnsensors}.so; do
	text=$(strings -d "$library") # without debugging information
	for path in "$(realpath "$build")" ../libnnhal/ firmware/core; do
		[[ $text != *"$path"* ]] || die "$library names $path"
	done
done

# nothing under include/android that the list above does not have
count=$(find "$stage" -path '*/include/android/*.h' | wc -l)
[ "$count" -eq 9 ] || die "$count headers in include/android, not 9"

read -r -a flags <<< "$(pkg-config --cflags --libs neuralnetworks nativewindow)"
cc -Wall -Werror -o "$stage/program" "$examples/shared_buffer.c" "${flags[@]}" "-Wl,-rpath-link,$libdir"
for isolation in none worker; do
	LD_LIBRARY_PATH=$libdir NNAPI_CONFIG=/dev/null NNACCEL_CALIBRATION=off NNAPI_ISOLATION=$isolation \
		NNACCEL_FIRMWARE=$(find "$stage" -name 'libnnaccel-fw.so') "$stage/program" >"$stage/output" && grep -q ' 0 of them wrong$' "$stage/output" ||
		die "the program that was built against the installation does not run with isolation $isolation"
done
# a vendor library of another project: in a worker, as the runtime runs it
read -r -a flags <<< "$(pkg-config --cflags --libs nnhal)"
cc -Wall -Werror -shared -fPIC -fvisibility=hidden -o "$stage/libnnhal-conv8.so" -I "$examples/porting" "$examples"/porting/vendor_library/*.c \
	"$examples/porting/conv_unit.c" "${flags[@]}" -lm "-Wl,-rpath,$libdir" # a worker has no LD_LIBRARY_PATH
LD_LIBRARY_PATH=$libdir "$(find "$stage" -name nnctl -type f)" list --device "worker=$stage/libnnhal-conv8.so" >"$stage/output"
grep -q ' example-conv8 ' "$stage/output" || die "the vendor library that was built against the installation has no device"
# a program without buffers does not get the library of buffers
needed=$(objdump -p "$libdir/libneuralnetworks.so" | sed -n 's/.*NEEDED//p')
[[ -n $needed && $needed != *nativewindow* ]] || die "libneuralnetworks needs libnativewindow"
