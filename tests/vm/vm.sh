#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Boots the stock kernel in QEMU with the emulated card, runs one command there and exits with its status.
# See Documentation/testing.rst.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/lib.sh
. "$here/../../scripts/lib.sh"
# shellcheck source=tests/vm/machine.sh
. "$here/machine.sh"
# shellcheck source=tests/vm/parts.sh
. "$here/parts.sh"

usage()
{
	cat <<-END
	usage: vm.sh [options] -- COMMAND [ARGUMENT...]

	  --out DIR         results: output.log, serial.log, dmesg.txt, slotN.log, outcome (build/vm/run)
	  --cards N         emulated cards (1); --no-card is --cards 0
	  --card PROGRAM    another firmware than nnaccel-card, with its command line
	  --board           in place of PCI cards an accelerator that the device tree describes (arm64 only)
	  --foreign         two ivshmem devices that are not ours beside the cards
	  --iommu           an IOMMU before the cards, which the kernel uses with --append intel_iommu=on
	  --fault SPEC      start the cards in this fault mode
	  --mem SIZE        guest memory, at most 2G, and 8G for arm64 (1G)
	  --smp N           processors (2); less than 2 is refused: one emulated CPU drops barriers
	  --timeout S       kill the guest after S seconds, without those that it waited for a processor (300)
	  --append STRING   more for the kernel command line, e.g. swiotlb=force
	  --env NAME=VALUE  a variable for the command
	  --writable DIR    a folder of the host that the guest may write, by its own path
	  --accel MODE      auto, kvm or tcg (auto)
	  --allow-log REGEX kernel log lines that match are not faults
	  --stream          show the command's output while it runs

	The command's own exit code, or: 121 it succeeded but the kernel logged a fault, 122 the kernel died,
	124 timeout, 125 the harness failed. The file outcome says which: done, faults, died, timeout, harness.
	END
}

arguments=("$@") try=${NN_VM_TRY:-1}
out=$NN_BUILD/vm/run cards=1 board=0 card_bin='' foreign=0 iommu=0 fault='' mem=1G smp=2 limit=300 append='' accel=auto allow='^$' stream=0 writable=''
environment=()
while [ $# -gt 0 ]; do
	case $1 in
	--out) out=$2 && shift ;;
	--cards) cards=$2 && shift ;;
	--no-card) cards=0 ;;
	--board) board=1 ;;
	--card) card_bin=$2 && shift ;;
	--foreign) foreign=1 ;;
	--iommu) iommu=1 ;;
	--fault) fault=$2 && shift ;;
	--mem) mem=$2 && shift ;;
	--smp) smp=$2 && shift ;;
	--timeout) limit=$2 && shift ;;
	--append) append=$2 && shift ;;
	--env) environment+=("$2") && shift ;;
	--writable) writable=$2 && shift ;;
	--accel) accel=$2 && shift ;;
	--allow-log) allow=$2 && shift ;;
	--stream) stream=1 ;;
	--help) usage && exit 0 ;;
	--) shift && break ;;
	*) usage >&2 && exit 125 ;;
	esac
	shift
done

outcome()
{
	echo "$1" >"$out/outcome"
}

# Used before the results folder is known to be ours: writes nothing there.
refuse()
{
	nn_say "vm: $*"
	exit 125
}

harness_fail()
{
	outcome harness
	nn_say "vm: $*"
	exit 125
}

mkdir -p "$out"
out=$(cd "$out" && pwd)
exec {lock}>"$out.lock"
flock -n "$lock" || refuse "another run uses $out"
# Remove old results, but never empty a folder that is not a results folder.
if [ -n "$(ls -A "$out")" ]; then
	[ -e "$out/outcome" ] || refuse "$out is neither empty nor an earlier results folder"
	find "$out" -mindepth 1 -delete
fi
: >"$out/outcome"
[ $# -gt 0 ] || harness_fail "no command"
[ "$smp" -ge 2 ] || harness_fail "--smp must be 2 or more"
bytes=$(numfmt --from=iec "$mem") || harness_fail "bad size $mem"
machine_begin || harness_fail "no machine"
[ "$bytes" -le "$ram_most" ] || harness_fail "--mem must be at most $(numfmt --to=iec "$ram_most")"

slot_bin=$(part card)/nnaccel-slot
card_bin=${card_bin:-$(part card)/nnaccel-card}
if [ "$cards" -gt 0 ]; then
	for bin in "$slot_bin" "$card_bin"; do
		[ -x "$bin" ] || harness_fail "${bin#"$NN_ROOT"/} is not built"
	done
fi
vmlinux=$(part vmlinux) || harness_fail "no kernel"
initrd=$(part initrd) || harness_fail "no initramfs"
part modules >"$out/modules" || harness_fail "no modules"
[ "$flavour" = amd64 ] || [ "$accel" != auto ] || accel=tcg
[ "$accel" != auto ] || accel=$("$here/accel.sh") || harness_fail "no accelerator"
machine_accel "$accel" || harness_fail "a guest of $flavour does not run with the accelerator $accel"
machine_folders >"$out/folders"
if [ -n "$writable" ]; then
	[ -d "$writable" ] && [[ $writable == /?* ]] || harness_fail "--writable must be a folder by its absolute path, not / and not '$writable'"
	printf '%s\n' "$writable" >"$out/writable"
fi

# Written to the results share for the guest: the command, its environment, its process 1.
cp "$here/guest-init.sh" "$out/"
printf '%q ' "$@" >"$out/cmd"
{
	printf 'NN_OUT=/run/nnaccel/out\nNN_CARDS=%q\nNN_ACCEL=%q\n' "$cards" "$accel"
	printf 'NN_FOREIGN=%q\nNN_BOARD=%q\n' $((foreign * 2)) "$board"
	printf 'NN_ROOT=%q\nNN_BUILD=%q\nNN_VM_TRY=%q\n' "$NN_ROOT" "$NN_BUILD" "$try"
	# the value alone: a quoted name is no assignment
	for variable in "${environment[@]}"; do
		printf '%s=%q\n' "${variable%%=*}" "${variable#*=}"
	done
} >"$out/env"

# Guest memory and sockets are in one folder named by our process id, so that a later run can remove what a
# killed one left. Memory is in /dev/shm if there is room (containers often limit it to 64 MB).
for old in /dev/shm/nnaccel-vm.* "${TMPDIR:-/tmp}"/nnaccel-vm.*; do
	pid=${old#*/nnaccel-vm.}
	if [ -O "$old" ] && [ ! -e "/proc/${pid%.*}" ]; then
		rm -rf "$old"
	fi
done
shm=/dev/shm
free=$(df --output=avail -B1 "$shm" 2>/dev/null | tail -n 1) || free=0
if [ "${free:-0}" -lt $((bytes + (64 << 20))) ]; then
	shm=${TMPDIR:-/tmp}
	nn_say "vm: /dev/shm is too small for $mem of guest memory, using $shm"
fi
work=$(mktemp -d "$shm/nnaccel-vm.$$.XXXXXX")
echo "$work" >"$out/work"

pids=()
cleanup()
{
	local pid

	for pid in "${pids[@]}"; do
		kill "$pid" 2>/dev/null || :
	done
	for pid in "${pids[@]}"; do
		# The slot ends its card first; processes that do not end within 3 s are killed.
		for _ in {1..30}; do
			kill -0 "$pid" 2>/dev/null || break
			sleep 0.1
		done
		kill -KILL "$pid" 2>/dev/null || :
	done
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 125' INT TERM

# Children die with this shell, however it ends.
tied=(setpriv --pdeathsig KILL)
devices=() slot=() rom=1
if [ "$board" = 1 ]; then
	[ "$cards" -le 1 ] || harness_fail "a board has one accelerator"
	slot=(--soc) rom=
	machine_tree "$here/board.dts" || harness_fail "no device tree"
fi
# Before the devices that it is for. Interrupts are not its concern: KVM would need another interrupt controller for them.
[ "$iommu" = 0 ] || devices+=(-device "intel-iommu,intremap=off")
for ((i = 0; i < cards; i++)); do
	dir=$work/slot$i
	mkdir "$dir"
	"${tied[@]}" "$slot_bin" --dir "$dir" --ram "$work/ram" --ram-size "$bytes" --ram-base "$ram_base" --card "$card_bin" "${slot[@]}" \
		${fault:+--fault "$fault"} --foreground >"$out/slot$i.log" 2>&1 </dev/null &
	pids+=($!)
	for _ in {1..100}; do
		[ -S "$dir/ivshmem.sock" ] && [ -S "$dir/control.sock" ] && break
		kill -0 $! 2>/dev/null || harness_fail "slot $i ended: $(tail -n 1 "$out/slot$i.log")"
		sleep 0.05
	done
	[ -S "$dir/control.sock" ] || harness_fail "slot $i made no sockets in 5 s"
	[ "$board" = 0 ] || cp "$dir/firmware.bin" "$out/"
	name=nnaccel.control
	[ "$i" -eq 0 ] || name=nnaccel.control$i
	devices+=(
		-chardev "socket,id=ivshmem$i,path=$dir/ivshmem.sock"
		# Alone behind a port, so that the bus can reset it.
		-device "pcie-root-port,id=port$i,chassis=$((i + 1))"
		-device "ivshmem-doorbell,id=card$i,bus=port$i,vectors=4,chardev=ivshmem$i,romfile=${rom:+$dir/card.rom}"
		-chardev "socket,id=control$i,path=$dir/control.sock"
		-device "virtserialport,chardev=control$i,name=$name"
	)
done

# foreign FILE ID [PROPERTY]: an ivshmem device whose memory looks like a card's registers
foreign()
{
	printf 'NNAC\1\0\1\0' >"$1"
	truncate -s 1M "$1"
	devices+=(-object "memory-backend-file,id=$2,size=1M,mem-path=$1,share=on" -device "ivshmem-plain,memdev=$2${3:-}")
}

if [ "$foreign" = 1 ]; then
	foreign "$work/foreign0" foreign0
	[ "$cards" -gt 0 ] || harness_fail "--foreign needs a card"
	# One with a ROM, which is valid but names nothing of ours.
	head -c 64 "$work/slot0/card.rom" >"$work/foreign.rom"
	truncate -s 512 "$work/foreign.rom"
	foreign "$work/foreign1" foreign1 ",romfile=$work/foreign.rom"
fi

for share in "${shares[@]}"; do
	devices+=(-virtfs "local,path=${share#* },mount_tag=${share%% *},security_model=none,readonly=on,multidevs=remap")
done
# A comma in a path is two for QEMU.
[ -z "$writable" ] || devices+=(-virtfs "local,path=${writable//,/,,},mount_tag=writable,security_model=none,multidevs=remap")

: >"$out/output.log"
"${tied[@]}" "$qemu" \
	-nodefaults -no-user-config "${machine[@]}" \
	-object "memory-backend-file,id=ram,size=$bytes,mem-path=$work/ram,share=on" \
	-smp "$smp" -m "$bytes"B \
	-kernel "$vmlinux" -initrd "$initrd" -append "$cmdline $append" \
	-display none -monitor none -no-reboot \
	-chardev "file,id=serial,path=$out/serial.log" -serial chardev:serial \
	-device virtio-rng-pci \
	-virtfs "local,path=${out//,/,,},mount_tag=out,security_model=none,multidevs=remap" \
	-device virtio-serial-pci,max_ports=16 \
	-chardev "file,id=output,path=$out/output.log" -device virtserialport,chardev=output,name=nnaccel.out \
	"${devices[@]}" >"$out/qemu.log" 2>&1 </dev/null &
qemu=$!
pids+=("$qemu")
# The cleanup ends it. It has neither this shell's lock nor its output.
"$NN_ROOT/scripts/check/limit.py" "$limit" --pid "$qemu" {lock}>&- >/dev/null 2>&1 </dev/null &
pids+=($!)
if [ "$stream" = 1 ]; then
	"${tied[@]}" tail -n +1 -s 0.2 -f --pid "$qemu" "$out/output.log" &
	tail=$!
fi
rc=0
{ wait "$qemu" || rc=$?; } 2>/dev/null
[ "$stream" = 0 ] || wait "$tail" || :

# While the kernel patches its code there are breakpoints, and QEMU 7.2's TCG may execute one that was removed: once in
# some hundred boots, when sched_clock is switched, and often under patch_safely's conditions (guest-lib.sh). The log
# identifies it: the byte before <> is the contents of memory at the breakpoint. The tested code is not at fault.
died_of_qemu()
{
	local code

	[ "$accel" = tcg ] || return 1
	code=$(awk '/Oops: int3:/ { on = 1 } on && /Code:/ { print; exit }' "$out/serial.log")
	[ -n "$code" ] && [[ $code != *" cc <"* ]]
}

if [ ! -s "$out/rc" ]; then
	if [ "$rc" -eq 137 ]; then
		outcome timeout
		nn_say "vm: timeout after $limit s (without waiting for a processor), guest killed (log: $out/serial.log)"
		exit 124
	fi
	if ! [ -s "$out/serial.log" ] && [ -s "$out/qemu.log" ]; then
		harness_fail "QEMU: $(tail -n 1 "$out/qemu.log")"
	fi
	outcome died
	nn_say "vm: the guest died: $(grep -aE 'Kernel panic|nnaccel-vm:' "$out/serial.log" | head -n 1)" \
		"(log: $out/serial.log)"
	if died_of_qemu && [ "$try" -lt 3 ]; then
		nn_say "vm: QEMU executed a breakpoint that the kernel had removed: booting again"
		cp "$out/serial.log" "$out.qemu-died-$try.log"
		trap - EXIT
		cleanup
		exec {lock}>&-
		NN_VM_TRY=$((try + 1)) exec "$here/vm.sh" "${arguments[@]}"
	fi
	# Print the log, for readers without access to this machine.
	grep -aE -m 1 -A 45 'BUG:|Oops|general protection|int3:|kernel BUG|Internal error|stack segment' \
		"$out/serial.log" | cut -c 1-160 >&2 || tail -n 20 "$out/serial.log" >&2
	exit 122
fi

result=$(<"$out/rc")
logs=("$out/serial.log")
[ ! -e "$out/dmesg.txt" ] || logs+=("$out/dmesg.txt")
faults=0
"$here/logscan.sh" --allow "$allow" "${logs[@]}" >"$out/faults.txt" || faults=1
# Bits 7 and 9: the kernel died or warned, even if the line left the log or was allowed above.
[ "$allow" != '^$' ] || [ $(($(<"$out/tainted") & 0x280)) -eq 0 ] || faults=1
if [ "$faults" = 1 ]; then
	outcome faults
	nn_say "vm: the kernel logged faults (log: $out/dmesg.txt)"
	head -n 5 "$out/faults.txt" >&2
	[ "$result" -ne 0 ] || result=121
else
	outcome "done"
fi
exit "$result"
