# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Another system in a folder; sourced after lib.sh.

# nn_enter ROOT COMMAND...: runs a command with /proc, /sys and /dev mounted in ROOT, in mount and PID namespaces of its own,
# which end with the command or with this script.
nn_enter()
{
	# shellcheck disable=SC2016 # for the shell in the namespace
	setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child --propagation private bash -c '
		set -e
		root=$1
		shift
		mount --bind "$root" "$root"
		mount -t proc proc "$root/proc"
		mount --rbind /sys "$root/sys"
		mount --rbind /dev "$root/dev"
		mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
		exec "$@"
	' - "$@" </dev/null
}

# nn_enter_obstacle FOLDER: why a system cannot be made and entered here; nothing if it can. FOLDER is for a trial.
nn_enter_obstacle()
{
	if [ "$(id -u)" -ne 0 ]; then
		echo "it needs root (chroot, debootstrap)"
		return
	fi
	mkdir -p "$1/proc" "$1/sys" "$1/dev"
	nn_enter "$1" true 2>/dev/null ||
		echo "a system cannot be entered here (unshare --mount --pid, mount: a container without CAP_SYS_ADMIN?)"
}

# nn_debootstrap ARGUMENT...: with the key of nn_mirror. Exit status 3: the mirror failed.
nn_debootstrap()
{
	command -v debootstrap >/dev/null || {
		nn_machine_apt nn_apt_update
		nn_logged debootstrap-install nn_machine_apt nn_apt install --no-install-recommends debootstrap || {
			! nn_fetch_failed debootstrap-install || return 3
			return 1
		}
	}
	[ ! -r "${NN_KEYRING:-}" ] || set -- "--keyring=$NN_KEYRING" "$@"
	nn_logged debootstrap debootstrap "$@" && return
	! nn_fetch_failed debootstrap || return 3
	return 1
}
