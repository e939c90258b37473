// SPDX-License-Identifier: Apache-2.0
/*
 * The first filter, from before the vendor library is loaded: what none needs to load itself and to
 * open its device. Such a call fails, and the library may do without. The second filter, which has
 * the calls of a worker's work and no others, comes when the device is open.
 *
 * Landlock knows no chmod(), no setxattr() and no connect() to a socket in the file system, and not
 * every kernel has Landlock: calls that change files are here as well.
 */
#include <errno.h>
#include <linux/close_range.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sandbox/sandbox_private.h"

#define INT(argument, value) NNIPC_INT_ARGUMENT(argument, value)
#define BITS(argument, mask, value) SCMP_CMP(argument, SCMP_CMP_MASKED_EQ, mask, value)

/* With any arguments. Numbers that headers of 6.1 do not have are the same on all processors. */
/* clang-format off */
static const int refused[] = {
	/* processes: other programs, others' processes */
	SCMP_SYS(fork), SCMP_SYS(vfork), SCMP_SYS(execve), SCMP_SYS(execveat),
	SCMP_SYS(process_madvise), SCMP_SYS(kill), SCMP_SYS(tkill), SCMP_SYS(rt_sigqueueinfo),
	SCMP_SYS(rt_tgsigqueueinfo), SCMP_SYS(pidfd_open), SCMP_SYS(pidfd_send_signal),
	SCMP_SYS(move_pages), SCMP_SYS(migrate_pages), SCMP_SYS(setsid), SCMP_SYS(setpgid),
	/* sockets that lead anywhere, and other ways to processes outside */
	SCMP_SYS(socket), SCMP_SYS(connect), SCMP_SYS(bind), SCMP_SYS(listen), SCMP_SYS(accept),
	SCMP_SYS(accept4), SCMP_SYS(socketcall), SCMP_SYS(shmget), SCMP_SYS(semget), SCMP_SYS(msgget),
	SCMP_SYS(ipc), SCMP_SYS(mq_open), SCMP_SYS(mq_unlink),
	/* what changes files or their owners, and what watches them */
	SCMP_SYS(chmod), SCMP_SYS(fchmod), SCMP_SYS(fchmodat), 452 /* fchmodat2 */, SCMP_SYS(chown),
	SCMP_SYS(lchown), SCMP_SYS(fchown), SCMP_SYS(fchownat), SCMP_SYS(setxattr),
	SCMP_SYS(lsetxattr), SCMP_SYS(fsetxattr), 463 /* setxattrat */, SCMP_SYS(removexattr),
	SCMP_SYS(lremovexattr), SCMP_SYS(fremovexattr), 466 /* removexattrat */,
	469 /* file_setattr */, SCMP_SYS(utime), SCMP_SYS(utimes), SCMP_SYS(utimensat),
	SCMP_SYS(utimensat_time64), SCMP_SYS(futimesat), SCMP_SYS(truncate), SCMP_SYS(truncate64),
	SCMP_SYS(creat), SCMP_SYS(link), SCMP_SYS(linkat), SCMP_SYS(symlink), SCMP_SYS(symlinkat),
	SCMP_SYS(unlink), SCMP_SYS(unlinkat), SCMP_SYS(rename), SCMP_SYS(renameat),
	SCMP_SYS(renameat2), SCMP_SYS(mkdir), SCMP_SYS(mkdirat), SCMP_SYS(rmdir), SCMP_SYS(mknod),
	SCMP_SYS(mknodat), SCMP_SYS(name_to_handle_at), SCMP_SYS(inotify_init),
	SCMP_SYS(inotify_init1),
	/* the kernel */
	SCMP_SYS(perf_event_open), SCMP_SYS(io_setup), SCMP_SYS(syslog), SCMP_SYS(clock_adjtime),
	SCMP_SYS(adjtimex), SCMP_SYS(personality),
};

/* These would undo the end with the monitor, the client's view, or the filters. */
static const int refused_prctls[] = {
	PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_PTRACER, PR_SET_MM, PR_SET_SECCOMP,
	PR_SET_CHILD_SUBREAPER, PR_SET_SYSCALL_USER_DISPATCH,
};
/* clang-format on */

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
/* clang-format off */
static const int hostile_calls[] = {
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
#define HOSTILE_CALLS (sizeof(hostile_calls) / sizeof(hostile_calls[0]))

#define SOCKET_TYPES 16 /* the mask of socket()'s flags leaves as many */

int nnipc_refuse_call(struct nnipc_seccomp_rules *rules, int call, unsigned int count,
		      const struct scmp_arg_cmp *arguments)
{
	if (call >= 0 && (size_t)call < sizeof(rules->allowed) && rules->allowed[call])
		return 0;
	return seccomp_rule_add_array(rules->filter, SCMP_ACT_ERRNO(EPERM), call, count, arguments);
}

/* A pair of datagram sockets has addresses to send to; the other types have not. */
static int refuse_socket_pairs(struct nnipc_seccomp_rules *rules)
{
	const struct scmp_arg_cmp domain = SCMP_CMP(0, SCMP_CMP_NE, AF_UNIX, 0);
	int error = nnipc_refuse_call(rules, SCMP_SYS(socketpair), 1, &domain);

	for (unsigned int type = 0; type < SOCKET_TYPES && !error; type++) {
		const struct scmp_arg_cmp kind = BITS(1, SOCKET_TYPES - 1, type);

		if (type != SOCK_STREAM && type != SOCK_SEQPACKET)
			error = nnipc_refuse_call(rules, SCMP_SYS(socketpair), 1, &kind);
	}
	return error;
}

int nnipc_refuse_calls(struct nnipc_seccomp_rules *rules)
{
	const struct {
		int call;
		unsigned int count;
		struct scmp_arg_cmp arguments[2];
	} some[] = {
		/* a process, and not a thread */
		{ SCMP_SYS(clone), 1, { BITS(NNIPC_CLONE_FLAGS, CLONE_THREAD, 0) } },
		/* a thread that has descriptors, or a working folder, which the client does not
		   see */
		{ SCMP_SYS(clone), 1, { BITS(NNIPC_CLONE_FLAGS, CLONE_FILES, 0) } },
		{ SCMP_SYS(clone), 1, { BITS(NNIPC_CLONE_FLAGS, CLONE_FS, 0) } },
		{ SCMP_SYS(close_range), 1, { BITS(2, CLOSE_RANGE_UNSHARE, CLOSE_RANGE_UNSHARE) } },
		/* abort() */
		{ SCMP_SYS(tgkill), 1, { SCMP_CMP(0, SCMP_CMP_NE, (uint32_t)getpid(), 0) } },
		{ SCMP_SYS(prlimit64), 1, { SCMP_CMP(0, SCMP_CMP_NE, 0, 0) } },
		/* of one thread alone: the second filter would not reach all */
		{ SCMP_SYS(seccomp), 1, { INT(0, SECCOMP_SET_MODE_STRICT) } },
		{ SCMP_SYS(seccomp),
		  2,
		  { INT(0, SECCOMP_SET_MODE_FILTER), BITS(1, SECCOMP_FILTER_FLAG_TSYNC, 0) } },
	};
	int error = refuse_socket_pairs(rules);

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]) && !error; i++)
		error = nnipc_refuse_call(rules, refused[i], 0, NULL);
	for (size_t i = 0; i < HOSTILE_CALLS && !error; i++)
		error = nnipc_refuse_call(rules, hostile_calls[i], 0, NULL);
	for (size_t i = 0; i < sizeof(refused_prctls) / sizeof(refused_prctls[0]) && !error; i++) {
		const struct scmp_arg_cmp option = INT(0, refused_prctls[i]);

		error = nnipc_refuse_call(rules, SCMP_SYS(prctl), 1, &option);
	}
	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]) && !error; i++)
		error = nnipc_refuse_call(rules, some[i].call, some[i].count, some[i].arguments);
	/* its flags are in memory; libc takes clone() then */
	if (!error)
		error = seccomp_rule_add_array(rules->filter, SCMP_ACT_ERRNO(ENOSYS),
					       SCMP_SYS(clone3), 0, NULL);
	return error;
}

int nnipc_kill_calls(struct nnipc_seccomp_rules *rules)
{
	/* the worker has both of its filters, and makes no third one */
	int error = nnipc_add_rule(rules, SCMP_ACT_KILL_PROCESS, SCMP_SYS(seccomp), 0, NULL);

	for (size_t i = 0; i < HOSTILE_CALLS && !error; i++)
		error = nnipc_add_rule(rules, SCMP_ACT_KILL_PROCESS, hostile_calls[i], 0, NULL);
	return error;
}
