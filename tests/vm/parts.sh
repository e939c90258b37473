# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # NN_ROOT and NN_BUILD, of lib.sh
#
# What a virtual machine is made of. In the source tree scripts make it where it is missing; a folder that scripts/lab.sh has staged
# has it below boot/ and usr/, and no script that makes anything. Sourced after lib.sh.

# Whether this is such a folder
parts_staged()
{
	[ -d "$NN_ROOT/boot" ]
}

# part NAME: prints the path of vmlinux, initrd or modules (the guest's /lib/modules/RELEASE), or the folder of the card's programs
part()
{
	local here=$NN_ROOT/tests/vm kind=made

	! parts_staged || kind=staged
	case $kind-$1 in
	staged-vmlinux) echo "$NN_ROOT/boot/vmlinux" ;;
	staged-initrd) echo "$NN_ROOT/boot/initrd.cpio" ;;
	staged-modules) echo "$NN_ROOT"/boot/lib/modules/* ;;
	staged-card) echo "$NN_ROOT/usr/bin" ;;
	made-vmlinux) "$NN_ROOT/scripts/kernel.sh" vmlinux ;;
	made-initrd) "$here/initrd.sh" ;;
	made-modules) "$here/modules.sh" ;;
	# A process of the host, whatever the guest's processor is
	made-card) echo "${NNACCEL_HOST_BUILD:-$NN_BUILD}/firmware/board" ;;
	esac
}

# part_environment: prints where the guest finds nnctl, the libraries and the Python package of this installation: PATH,
# LD_LIBRARY_PATH, PYTHONPATH, a line NAME=FOLDER[:FOLDER...] each
part_environment()
{
	local usr=$NN_ROOT/usr

	if parts_staged; then
		printf '%s\n' "PATH=$usr/bin:$usr/sbin" "LD_LIBRARY_PATH=$usr/lib" "PYTHONPATH=$usr/python"
		return
	fi
	echo "PATH=$NN_BUILD/tools/nnctl"
	# Each library of the build is in the folder of its sources.
	echo "LD_LIBRARY_PATH=$(find "$NN_BUILD/lib" -maxdepth 3 -name 'lib*.so' -not -path '*/nnhal/*' -not -path '*/nnaccel/*' \
		-printf '%h\n' | LC_ALL=C sort -u | paste -sd:)"
	echo "PYTHONPATH=$NN_BUILD/python"
}
