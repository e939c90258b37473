#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# peers-root.sh: prints the folder of a system with the peers of benchmarks/peers: Debian's TensorFlow Lite (without delegates)
# and XNNPACK, oneDNN, ONNX Runtime with its Python package, the models of pymicro-wakeword, a compiler, in src/delegates the objects of
# TensorFlow Lite's XNNPACK and NNAPI delegates, compiled from Debian's source package, src/peer_tflite, which is linked with
# all, and src/peer_onednn. Makes it if it is missing, or made by another version of this script: 400 MB to fetch, two minutes, 1.3 GB. That needs
# root; using it does not.
#
# Cache, $NNACCEL_CACHE/peers: root, and archives (its packages). It can be removed at any time.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/apt.sh
. "$(dirname "$0")/apt.sh"
# shellcheck source=scripts/enter.sh
. "$(dirname "$0")/enter.sh"

# The first suite with both libraries is trixie; in forky XNNPACK is the same, and the compiler newer.
suite=forky
store=$NN_CACHE/peers
root=$store/root
key=$(sha256sum "$0" | cut -c1-16)
peer_key=$(cat "$NN_ROOT"/benchmarks/peers/{serve.c,serve.h,peer_tflite.c,peer_onednn.c} | sha256sum | cut -c1-16)
packages=(
	g++ xz-utils
	libtensorflow-lite-dev libxnnpack-dev libpthreadpool-dev libcpuinfo-dev libflatbuffers-dev libabsl-dev libeigen3-dev
	libonnxruntime-dev python3-onnxruntime libdnnl-dev
	python3-pymicro-wakeword
	libgemmlowp-dev libfarmhash-dev libfft2d-dev libfp16-dev libneon-2-sse-dev libruy-dev
)

# Inside: packages, and of the source what the delegates need. The source's description (.dsc) is not needed: apt checks the
# archive against the signed list. A mirror that was frozen is as good as one that is not.
fetch()
{
	# shellcheck disable=SC2016 # for the shell inside
	nn_enter "$1" chroot "$1" bash -c '
		set -e
		export DEBIAN_FRONTEND=noninteractive HOME=/root LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin
		apt="apt-get -qq -o Acquire::Check-Valid-Until=false -o APT::Sandbox::User=root -o APT::Install-Recommends=false"
		$apt update
		$apt -y install "$@"
		mkdir -p /src
		cd /src
		$apt source --download-only --tar-only tensorflow
		tar -xf tensorflow_*.orig.tar.xz --strip-components=1 --wildcards "*/tensorflow/lite/*.h" \
			"*/tensorflow/lite/delegates/*.cc" "*/tensorflow/lite/nnapi/*.cc"
		rm -f tensorflow_*.tar.xz
	' - "${packages[@]}"
}

# What the delegates include of the rest of TensorFlow, whose place other packages have.
stubs()
{
	local dir=$1/src/stubs

	mkdir -p "$dir"/tensorflow/{core/public,core/platform,tsl/platform} "$dir/third_party"
	ln -sfn /usr/include/eigen3 "$dir/third_party/eigen3"
	printf '#include "absl/log/%s.h"\n' check log | tee "$dir/tensorflow/core/platform/logging.h" \
		>"$dir/tensorflow/tsl/platform/logging.h"
	echo '#define TF_VERSION_STRING "2.14.1"' >"$dir/tensorflow/core/public/version.h"
}

# XNNPACK's delegate with both kinds of 8-bit operations, as TensorFlow's own builds have it.
compile()
{
	# shellcheck disable=SC2016 # for the shell inside
	nn_enter "$1" chroot "$1" bash -c '
		set -e
		export LC_ALL=C PATH=/usr/bin:/bin
		cd /src
		mkdir -p delegates
		lite=tensorflow/lite
		for file in delegates/xnnpack/xnnpack_delegate delegates/xnnpack/quantization_util delegates/nnapi/nnapi_delegate \
			delegates/nnapi/quant_lstm_sup delegates/nnapi/nnapi_delegate_c_api nnapi/nnapi_implementation nnapi/nnapi_util \
			nnapi/sl/SupportLibrary delegates/serialization delegates/utils; do
			g++ -std=gnu++17 -O2 -w -DNDEBUG -Istubs -I. -I/usr/include/eigen3 -I/usr/include/gemmlowp \
				-I/usr/include/neon-2-sse -DXNNPACK_DELEGATE_ENABLE_QS8=1 -DXNNPACK_DELEGATE_ENABLE_QU8=1 \
				-c -o "delegates/${file##*/}.o" "$lite/$file.cc"
		done
	'
}

# compile_peer ROOT: benchmarks/peers/peer_tflite.c and peer_onednn.c
compile_peer()
{
	mkdir -p "$1/src/peers" && cp "$NN_ROOT"/benchmarks/peers/*.[ch] "$1/src/peers/" || return
	# shellcheck disable=SC2016 # for the shell inside
	nn_enter "$1" chroot "$1" bash -c '
		set -e
		export LC_ALL=C PATH=/usr/bin:/bin
		cd /src
		for file in peer_tflite peer_onednn serve; do
			gcc -O2 -Wall -Wextra -D_GNU_SOURCE -I. -Istubs -c -o "peers/$file.o" "peers/$file.c"
		done
		g++ -o peer_tflite peers/peer_tflite.o peers/serve.o delegates/*.o -ltensorflow-lite -lXNNPACK -lpthreadpool \
			-lcpuinfo -lfarmhash
		gcc -o peer_onednn peers/peer_onednn.o peers/serve.o -ldnnl -lm
	' || return
	echo "$peer_key" >"$1/.peer"
}

make_root()
{
	local new=$store/root.new script=() scripts=/usr/share/debootstrap/scripts file

	rm -rf "$new"
	mkdir -p "$store/archives"
	# An older debootstrap knows sid, and a suite after it is made in the same way.
	[ -e "$scripts/$suite" ] || script=("$scripts/sid")
	nn_say "peers: an empty Debian $suite by debootstrap"
	nn_debootstrap --variant=minbase "--cache-dir=$store/archives" "$suite" "$new" "$NN_MIRROR" "${script[@]}" || {
		[ $? -ne 3 ] || nn_infra_die "debootstrap cannot fetch $suite from $NN_MIRROR (${NN_LOGS#"$NN_ROOT"/}/debootstrap.log)"
		nn_die "debootstrap cannot make a system of $suite (${NN_LOGS#"$NN_ROOT"/}/debootstrap.log)"
	}
	nn_sources "$new" "$NN_MIRROR $suite"
	sed -n 's/^deb /deb-src /p' "$new/etc/apt/sources.list" >"$new/etc/apt/sources.list.d/source.list"
	for file in /etc/resolv.conf /etc/hosts; do
		rm -f "$new$file"
		cp -L "$file" "$new$file"
	done
	nn_say "peers: TensorFlow Lite, XNNPACK and a compiler"
	nn_logged peers-fetch fetch "$new"
	nn_say "peers: compiling the delegates"
	stubs "$new"
	nn_logged peers-compile compile "$new"
	rm -rf "$new"/var/cache/apt/archives/*.deb "$new"/var/lib/apt/lists/*
	echo "$key" >"$new/.key"
	rm -rf "$root"
	mv "$new" "$root"
}

# is NAME KEY
is()
{
	[ "$(cat "$root/$1" 2>/dev/null)" = "$2" ]
}

if ! is .key "$key" || ! is .peer "$peer_key"; then
	command -v dpkg >/dev/null || nn_die "the peers are Debian's packages, and this is no Debian"
	why=$(nn_enter_obstacle "$store/trial")
	[ -z "$why" ] || nn_die "the peers are not built yet, and cannot be built: $why"
	nn_mirror || nn_infra_die "$(nn_offline)"
	nn_proxy
	(
		nn_lock "$store/.lock"
		is .key "$key" || make_root
		is .peer "$peer_key" || nn_logged peers-peer compile_peer "$root"
	)
fi
echo "$root"
