#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# accel.sh: prints "kvm" or "tcg", whichever runs our kernel here. /dev/kvm may exist and yet hang the guest
# (nested or restricted virtualization), so KVM is tried by a boot with a short limit, once per host kernel,
# QEMU and guest kernel; the result is cached.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/../../scripts/lib.sh"
# shellcheck source=tests/vm/parts.sh
. "$NN_ROOT/tests/vm/parts.sh"

if [ ! -r /dev/kvm ] || [ ! -w /dev/kvm ]; then
	echo tcg
	exit 0
fi

vmlinux=$(part vmlinux)
initrd=$(part initrd)
key=$({
	uname -r
	qemu-system-x86_64 --version
	echo "$vmlinux"
} | sha256sum | cut -c1-12)
# A user of a container may have no home: then each run tries it.
if ! { mkdir -p "$NN_CACHE" && [ -w "$NN_CACHE" ]; } 2>/dev/null; then
	NN_CACHE=$(mktemp -d)
	trap 'rm -rf "$NN_CACHE"' EXIT
fi
answer=$NN_CACHE/accel-$key
if [ ! -s "$answer" ]; then
	nn_say "trying KVM (at most 8 s; the result is cached)"
	rc=0
	# In a subshell, so that its report of an aborted QEMU does not reach the user.
	(timeout -s KILL 8 qemu-system-x86_64 -nodefaults -no-user-config -machine q35,usb=off,hpet=off \
		-accel kvm -cpu host -smp 2 -m 256M -kernel "$vmlinux" -initrd "$initrd" \
		-append "panic=-1 oops=panic nnaccel_vm.probe" -display none -no-reboot \
		-device isa-debug-exit,iobase=0xf4,iosize=0x04 </dev/null; exit $?) >/dev/null 2>&1 || rc=$?
	# init writes 42 to the exit port; any other status means that the guest did not boot.
	if [ "$rc" -eq $((42 << 1 | 1)) ]; then echo kvm; else echo tcg; fi >"$answer.$$"
	mv "$answer.$$" "$answer"
	nn_say "the guest runs with $(<"$answer")"
fi
cat "$answer"
