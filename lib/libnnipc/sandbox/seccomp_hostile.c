// SPDX-License-Identifier: Apache-2.0
/*
 * Calls that no vendor library makes, with any arguments: an attack on the kernel, on another
 * process or on the machine. The first filter refuses them, so that nothing that merely looks
 * whether they are there ends. Behind the second one they end the process in the kernel: no handler
 * runs that a hostile library could leave, so it has one attempt and not as many as it likes. The
 * price is that no line in the log names the call.
 *
 * A call that a library may make by mistake, or that a program that measures it makes, is not here:
 * its line in the log is worth more.
 */
#include "sandbox/sandbox_private.h"

/* Numbers that headers of 6.1 do not have are the same on all processors. */
/* clang-format off */
const int nnipc_hostile_calls[] = {
	/* other processes */
	SCMP_SYS(ptrace), SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev),
	SCMP_SYS(process_mrelease), SCMP_SYS(kcmp), SCMP_SYS(pidfd_getfd), SCMP_SYS(unshare),
	SCMP_SYS(setns),
	/* file systems, and files without their names */
	SCMP_SYS(mount), SCMP_SYS(umount), SCMP_SYS(umount2), SCMP_SYS(pivot_root), SCMP_SYS(chroot),
	SCMP_SYS(open_tree), 467 /* open_tree_attr */, SCMP_SYS(move_mount), SCMP_SYS(fsopen),
	SCMP_SYS(fsconfig), SCMP_SYS(fsmount), SCMP_SYS(fspick), SCMP_SYS(mount_setattr),
	SCMP_SYS(swapon), SCMP_SYS(swapoff), SCMP_SYS(quotactl), SCMP_SYS(quotactl_fd), SCMP_SYS(acct),
	SCMP_SYS(open_by_handle_at), SCMP_SYS(fanotify_init), SCMP_SYS(fanotify_mark),
	/* the kernel */
	SCMP_SYS(bpf), SCMP_SYS(userfaultfd), SCMP_SYS(io_uring_setup), SCMP_SYS(io_uring_enter),
	SCMP_SYS(io_uring_register), SCMP_SYS(keyctl), SCMP_SYS(add_key), SCMP_SYS(request_key),
	SCMP_SYS(init_module), SCMP_SYS(finit_module), SCMP_SYS(delete_module), SCMP_SYS(kexec_load),
	SCMP_SYS(kexec_file_load), SCMP_SYS(reboot), SCMP_SYS(sethostname), SCMP_SYS(setdomainname),
	SCMP_SYS(settimeofday), SCMP_SYS(stime), SCMP_SYS(clock_settime), SCMP_SYS(clock_settime64),
	SCMP_SYS(iopl), SCMP_SYS(ioperm), SCMP_SYS(modify_ldt), SCMP_SYS(vhangup),
	SCMP_SYS(lookup_dcookie),
};
/* clang-format on */
const size_t nnipc_num_hostile_calls = sizeof(nnipc_hostile_calls) / sizeof(nnipc_hostile_calls[0]);

int nnipc_kill_calls(struct nnipc_seccomp_rules *rules)
{
	/* the worker has both of its filters, and makes no third one */
	int error = nnipc_add_rule(rules, SCMP_ACT_KILL_PROCESS, SCMP_SYS(seccomp), 0, NULL);

	for (size_t i = 0; i < nnipc_num_hostile_calls && !error; i++)
		error = nnipc_add_rule(rules, SCMP_ACT_KILL_PROCESS, nnipc_hostile_calls[i], 0,
				       NULL);
	return error;
}
