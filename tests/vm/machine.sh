# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # variables of vm.sh
#
# The machines that vm.sh boots, by the flavour of kernel (NNACCEL_KERNEL_ARCH): amd64 is a q35, whose root is the host's. arm64*
# is a virt board under emulation, with a root of Debian's arm64 packages (scripts/arm64.sh); of the host's files it gets the
# project and ../shared, by their own paths. Sourced by vm.sh.

flavour=${NNACCEL_KERNEL_ARCH:-amd64}

# machine_begin: sets qemu (the program), machine (its options), ram_base (where the guest's memory begins), ram_most (bytes that
# the card can see), cmdline and shares, the folders that the guest mounts: "TAG PATH" each.
machine_begin()
{
	cmdline="loglevel=5 panic=-1 oops=panic panic_print=0x20 mitigations=off lsm=landlock random.trust_cpu=on"
	case $flavour in
	amd64)
		qemu=qemu-system-x86_64 ram_base=0 shares=("hostroot /")
		# Above 2 GiB q35 splits memory around 4 GiB and the card's file offsets are no longer guest addresses.
		ram_most=$((2 << 30))
		machine=(-machine "q35,usb=off,hpet=off,memory-backend=ram" -device "isa-debug-exit,iobase=0xf4,iosize=0x04")
		cmdline+=" console=ttyS0 tsc=reliable no_timer_check"
		;;
	arm64*)
		qemu=qemu-system-aarch64 ram_base=$((1 << 30)) ram_most=$((8 << 30))
		shares=("guestroot $("$NN_ROOT/scripts/arm64.sh" root)" "hostroot /") || return
		machine=(-machine "virt,gic-version=3,its=on,usb=off,acpi=off,memory-backend=ram")
		cmdline+=" console=ttyAMA0"
		;;
	*)
		nn_say "vm: no machine for kernels of $flavour"
		return 1
		;;
	esac
}

# machine_accel MODE: adds the processor. cortex-a72 has no extension whose emulation is slow, and no pages of 16 KiB.
machine_accel()
{
	case $flavour-$1 in
	amd64-kvm) machine+=(-accel kvm -cpu host) ;;
	# thread=multi: with one thread for all processors TCG was seen to lose memory barriers.
	amd64-tcg) machine+=(-accel "tcg,thread=multi,tb-size=512" -cpu max) ;;
	arm64-tcg) machine+=(-accel "tcg,thread=multi,tb-size=512" -cpu cortex-a72) ;;
	arm64-16k-tcg) machine+=(-accel "tcg,thread=multi,tb-size=512" -cpu cortex-a76) ;;
	*) return 1 ;;
	esac
	# An emulated guest on a busy host stalls for seconds; that is not a fault of its kernel.
	[ "$1" != tcg ] || cmdline+=" rcupdate.rcu_cpu_stall_timeout=120 sysctl.kernel.watchdog_thresh=60"
}

# machine_tree FILE: adds the source of a device tree to the one that QEMU makes for this machine.
machine_tree()
{
	local tree=$out/machine

	[[ $flavour == arm64* ]] || { nn_say "vm: only machines of arm64 have a device tree" && return 1; }
	"$qemu" "${machine[@]/memory-backend=ram/memory-backend=ram,dumpdtb=$tree.dtb}" -nodefaults -display none \
		-object "memory-backend-ram,id=ram,size=$bytes" -smp "$smp" -m "$bytes"B >/dev/null 2>"$out/dtc.log" &&
		{ dtc -q -I dtb -O dts "$tree.dtb" && sed '/^ *\/dts-v1/d' "$1"; } >"$tree.dts" 2>>"$out/dtc.log" &&
		dtc -q -I dts -O dtb -o "$tree.dtb" "$tree.dts" 2>>"$out/dtc.log" && machine+=(-dtb "$tree.dtb")
}

# machine_folders: prints the folders of the host that the guest needs by their own paths, where its root is not the host's.
machine_folders()
{
	local folder

	[ "$flavour" != amd64 ] || return 0
	for folder in "$NN_ROOT" "$NN_BUILD" "$NN_ROOT/../shared"; do
		[ ! -d "$folder" ] || realpath "$folder"
	done | sort -u
}
