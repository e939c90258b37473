# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Programs for the system of peers-root.sh. Sourced after lib.sh.

# peers_command ROOT PROGRAM [FOLDERS]: prints how a program runs in that system: by its loader, which is not entered. Our
# libraries, in the folders or in the build, are found after that system's, and before those of this system, which they need.
peers_command()
{
	local loader libs ours=${3:-$NN_BUILD/lib/libneuralnetworks:$NN_BUILD/lib/libnnhal:$NN_BUILD/lib/libnativewindow}

	libs=$(compgen -G "$1/usr/lib/*-linux-gnu" | head -n 1)
	loader=$(compgen -G "$1/usr/lib*/ld-linux-*.so.*" | head -n 1)
	printf '%q --library-path %q %q' "$loader" \
		"$libs:$ours:/usr/lib/${libs##*/}" "$2"
}
