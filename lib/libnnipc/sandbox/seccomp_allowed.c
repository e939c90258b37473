// SPDX-License-Identifier: Apache-2.0
/*
 * System calls allowed after the sandbox is locked: use of open descriptors, memory, threads,
 * waits. No path lookups, no new sockets, no other processes, no new executable memory.
 *
 * Arguments of type int are compared in their lower half: the kernel ignores the upper one, which
 * can be anything.
 */
#include <asm/termbits.h>
#include <drm.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/dma-buf.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <linux/sync_file.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "sandbox/sandbox_private.h"

#define INT(argument, value) NNIPC_INT_ARGUMENT(argument, value)
#define BITS(argument, mask, value) SCMP_CMP(argument, SCMP_CMP_MASKED_EQ, mask, value)

/* Memory for return addresses, of makecontext() on processors that have shadow stacks. */
#define MAP_SHADOW_STACK 453

/* With all arguments. clang-format off: a table */
/* clang-format off */
static const int always[] = {
	/* descriptors that it holds */
	SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(readv), SCMP_SYS(writev), SCMP_SYS(pread64),
	SCMP_SYS(pwrite64), SCMP_SYS(preadv), SCMP_SYS(pwritev), SCMP_SYS(lseek), SCMP_SYS(_llseek),
	SCMP_SYS(close), SCMP_SYS(dup), SCMP_SYS(dup2), SCMP_SYS(dup3), SCMP_SYS(fstat),
	SCMP_SYS(fstat64), SCMP_SYS(fstatfs), SCMP_SYS(fstatfs64), SCMP_SYS(fsync),
	SCMP_SYS(fdatasync), SCMP_SYS(ftruncate), SCMP_SYS(ftruncate64), SCMP_SYS(fallocate),
	SCMP_SYS(poll), SCMP_SYS(ppoll), SCMP_SYS(ppoll_time64), SCMP_SYS(select), SCMP_SYS(pselect6),
	SCMP_SYS(pselect6_time64),
	SCMP_SYS(epoll_ctl), SCMP_SYS(epoll_wait), SCMP_SYS(epoll_pwait), SCMP_SYS(epoll_pwait2),
	/* new ones that lead nowhere */
	SCMP_SYS(epoll_create1), SCMP_SYS(eventfd2),
	SCMP_SYS(timerfd_create), SCMP_SYS(timerfd_settime), SCMP_SYS(timerfd_settime64),
	SCMP_SYS(timerfd_gettime), SCMP_SYS(timerfd_gettime64),
	/* sockets that it holds: all are connected */
	SCMP_SYS(sendmsg), SCMP_SYS(recvmsg), SCMP_SYS(send), SCMP_SYS(recv), SCMP_SYS(recvfrom),
	SCMP_SYS(shutdown), SCMP_SYS(getsockname), SCMP_SYS(getpeername),
	/* memory */
	SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(msync), SCMP_SYS(munlock),
	MAP_SHADOW_STACK,
	/* threads */
	SCMP_SYS(exit), SCMP_SYS(exit_group), SCMP_SYS(set_robust_list), SCMP_SYS(rseq),
	SCMP_SYS(set_tid_address), SCMP_SYS(sched_yield), SCMP_SYS(sched_getaffinity),
	SCMP_SYS(sched_getparam), SCMP_SYS(sched_getscheduler),
	SCMP_SYS(sched_get_priority_max), SCMP_SYS(sched_get_priority_min), SCMP_SYS(getpriority),
	SCMP_SYS(getcpu),
	/* signals, its own */
	SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn), SCMP_SYS(rt_sigpending),
	SCMP_SYS(rt_sigsuspend), SCMP_SYS(rt_sigtimedwait), SCMP_SYS(rt_sigtimedwait_time64),
	SCMP_SYS(sigaltstack),
	SCMP_SYS(sigreturn), SCMP_SYS(pause), SCMP_SYS(restart_syscall),
	/* time */
	SCMP_SYS(clock_gettime), SCMP_SYS(clock_gettime64), SCMP_SYS(clock_getres),
	SCMP_SYS(clock_getres_time64),
	SCMP_SYS(clock_nanosleep), SCMP_SYS(clock_nanosleep_time64), SCMP_SYS(nanosleep),
	SCMP_SYS(gettimeofday), SCMP_SYS(time), SCMP_SYS(times),
	/* who and where it is */
	SCMP_SYS(getpid), SCMP_SYS(getppid), SCMP_SYS(gettid), SCMP_SYS(getuid), SCMP_SYS(geteuid),
	SCMP_SYS(getgid), SCMP_SYS(getegid), SCMP_SYS(getpgrp), SCMP_SYS(getcwd), SCMP_SYS(uname),
#ifdef __riscv
	258, /* riscv_hwprobe */
#endif
	SCMP_SYS(sysinfo), SCMP_SYS(getrusage), SCMP_SYS(getrlimit), SCMP_SYS(ugetrlimit),
	SCMP_SYS(getrandom),
};

/* Nothing about owners: they get signals. */
static const int fcntl_commands[] = {
	F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_SETLK, F_SETLKW,
	F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW, F_ADD_SEALS, F_GET_SEALS, F_GETPIPE_SZ,
};

/* Those of locks and conditions; not those that lend a priority, whose rules are many. */
static const int futex_operations[] = {
	FUTEX_WAIT, FUTEX_WAKE, FUTEX_REQUEUE, FUTEX_CMP_REQUEUE, FUTEX_WAKE_OP, FUTEX_WAIT_BITSET,
	FUTEX_WAKE_BITSET,
};

/*
 * About its own pages. Not: cut holes into files, share pages with other processes (which tells
 * what they hold), break the machine's memory. Headers of 6.1 do not have the guards.
 */
static const int advice[] = {
	MADV_NORMAL, MADV_RANDOM, MADV_SEQUENTIAL, MADV_WILLNEED, MADV_DONTNEED, MADV_FREE,
	MADV_DONTFORK, MADV_DOFORK, MADV_HUGEPAGE, MADV_NOHUGEPAGE, MADV_DONTDUMP, MADV_DODUMP,
	MADV_WIPEONFORK, MADV_KEEPONFORK, MADV_COLD, MADV_PAGEOUT, MADV_POPULATE_READ,
	MADV_POPULATE_WRITE, 24 /* MADV_DONTNEED_LOCKED */, 25 /* MADV_COLLAPSE */,
	102 /* MADV_GUARD_INSTALL */, 103 /* MADV_GUARD_REMOVE */,
};
/* What a kernel without KSM answers. */
static const int refused_advice[] = { MADV_MERGEABLE, MADV_UNMERGEABLE };

/* Of its own threads. The others interrupt all processors. */
static const int barriers[] = {
	MEMBARRIER_CMD_QUERY, MEMBARRIER_CMD_PRIVATE_EXPEDITED,
	MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE,
	MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ,
	MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ, 512 /* MEMBARRIER_CMD_GET_REGISTRATIONS */,
};
static const int refused_barriers[] = {
	MEMBARRIER_CMD_GLOBAL, MEMBARRIER_CMD_GLOBAL_EXPEDITED,
	MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED,
};

/* Of any DRM driver, of fences and of shared memory. A driver's own ones are in profiles. */
static const unsigned int ioctls[] = {
	DRM_IOCTL_VERSION, DRM_IOCTL_GET_CAP, DRM_IOCTL_GEM_CLOSE, DRM_IOCTL_PRIME_HANDLE_TO_FD,
	DRM_IOCTL_PRIME_FD_TO_HANDLE, DRM_IOCTL_SYNCOBJ_CREATE, DRM_IOCTL_SYNCOBJ_DESTROY,
	DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, DRM_IOCTL_SYNCOBJ_WAIT,
	DRM_IOCTL_SYNCOBJ_RESET, DRM_IOCTL_SYNCOBJ_SIGNAL, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT,
	DRM_IOCTL_SYNCOBJ_QUERY, DRM_IOCTL_SYNCOBJ_TRANSFER, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL,
	SYNC_IOC_MERGE, SYNC_IOC_FILE_INFO,
	DMA_BUF_IOCTL_SYNC, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, DMA_BUF_IOCTL_IMPORT_SYNC_FILE,
	FIONREAD,
};

/* Of its sockets. Others lead to the client's process, or are filters of the kernel's. */
static const int socket_options[] = { SO_TYPE, SO_DOMAIN, SO_ACCEPTCONN, SO_MEMINFO };

/* Whether a descriptor is a terminal: isatty() of glibc before 2.42, from 2.42 on, and of musl. */
static const unsigned int terminal_ioctls[] = {
	TCGETS, TIOCGWINSZ,
#ifdef TCGETS2
	TCGETS2,
#endif
};

/*
 * Calls that newer libcs try and do without. Headers of 6.1 do not have all of them; the numbers
 * are the same on all processors.
 */
static const int unknown[] = {
	SCMP_SYS(clone3), /* its flags are in memory; libc takes clone() then */
	SCMP_SYS(sched_setattr), SCMP_SYS(sched_getattr),
	SCMP_SYS(mincore), /* shows which pages of files others have read */
	SCMP_SYS(futex_waitv),
	451, /* cachestat */
	454, /* futex_wake */
	455, /* futex_wait */
	456, /* futex_requeue */
	462, /* mseal */
};
/* clang-format on */

#define LIST(list) (list), sizeof(list) / sizeof((list)[0])
/* What an argument may be one of. */
static const struct {
	uint32_t action;
	int call;
	unsigned int argument;
	uint32_t mask;
	const int *values;
	size_t count;
} choices[] = {
	{ SCMP_ACT_ALLOW, SCMP_SYS(fcntl), 1, UINT32_MAX, LIST(fcntl_commands) },
	{ SCMP_ACT_ALLOW, SCMP_SYS(fcntl64), 1, UINT32_MAX, LIST(fcntl_commands) },
	{ SCMP_ACT_ALLOW, SCMP_SYS(futex), 1, (uint32_t)FUTEX_CMD_MASK, LIST(futex_operations) },
	{ SCMP_ACT_ALLOW, SCMP_SYS(futex_time64), 1, (uint32_t)FUTEX_CMD_MASK,
	  LIST(futex_operations) },
	{ SCMP_ACT_ALLOW, SCMP_SYS(madvise), 2, UINT32_MAX, LIST(advice) },
	{ SCMP_ACT_ERRNO(EINVAL), SCMP_SYS(madvise), 2, UINT32_MAX, LIST(refused_advice) },
	{ SCMP_ACT_ALLOW, SCMP_SYS(membarrier), 0, UINT32_MAX, LIST(barriers) },
	{ SCMP_ACT_ERRNO(EINVAL), SCMP_SYS(membarrier), 0, UINT32_MAX, LIST(refused_barriers) },
};

/* The bits that an argument may have. MFD_EXEC and its opposite are not in headers of 6.1. */
static const struct {
	int call;
	unsigned int argument;
	uint32_t bits;
} flags[] = {
	/* huge pages are a pool of the machine, and no cgroup's memory */
	{ SCMP_SYS(memfd_create), 1,
	  MFD_CLOEXEC | MFD_ALLOW_SEALING | 8u /* MFD_NOEXEC_SEAL */ | 16u /* MFD_EXEC */ },
	/* no notifications about keys and mounts */
	{ SCMP_SYS(pipe2), 1, O_CLOEXEC | O_NONBLOCK | O_DIRECT },
	/* no polling of a disk */
	{ SCMP_SYS(preadv2), 5, RWF_DSYNC | RWF_SYNC | RWF_NOWAIT | RWF_APPEND },
	{ SCMP_SYS(pwritev2), 5, RWF_DSYNC | RWF_SYNC | RWF_NOWAIT | RWF_APPEND },
	/* no thread with descriptors of its own */
	{ SCMP_SYS(close_range), 2, CLOSE_RANGE_CLOEXEC },
};

/* What makes a thread, and nothing that would make it less. */
#define THREAD_FLAGS \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM)
#define OTHER_FLAGS                                                                    \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | \
	 CLONE_NEWPID | CLONE_NEWNET | CLONE_PTRACE | CLONE_UNTRACED | CLONE_VFORK |   \
	 CLONE_PARENT | CLONE_PIDFD)
/* ARCH_GET_XCOMP_SUPP and the next two of x86, whose header other processors lack */
#define GET_XCOMP_SUPP 0x1021
#define GET_XCOMP_PERM 0x1022
#define REQ_XCOMP_PERM 0x1023

/*
 * Handlers of all signals but SIGSYS, which tells of violations: some bit differs from it. Only
 * the lower 7 bits are looked at; numbers beyond are none.
 */
static int allow_handlers(struct nnipc_seccomp_rules *rules)
{
	int error = 0;

	for (uint64_t bit = 1; bit < 128 && !error; bit <<= 1) {
		const struct scmp_arg_cmp differs = BITS(0, bit, ~(uint64_t)SIGSYS & bit);

		error = nnipc_add_rule(rules, SCMP_ACT_ALLOW, SCMP_SYS(rt_sigaction), 1, &differs);
	}
	return error;
}

static int allow_lists(struct nnipc_seccomp_rules *rules)
{
	int error = 0;

	for (size_t i = 0; i < sizeof(always) / sizeof(always[0]) && !error; i++)
		error = nnipc_add_rule(rules, SCMP_ACT_ALLOW, always[i], 0, NULL);
	for (size_t i = 0; i < sizeof(ioctls) / sizeof(ioctls[0]) && !error; i++)
		error = nnipc_allow_ioctl(rules, ioctls[i]);
	for (size_t i = 0; i < sizeof(socket_options) / sizeof(socket_options[0]) && !error; i++) {
		const struct scmp_arg_cmp option[] = { INT(1, SOL_SOCKET),
						       INT(2, socket_options[i]) };

		error = nnipc_add_rule(rules, SCMP_ACT_ALLOW, SCMP_SYS(getsockopt), 2, option);
	}
	return error;
}

static int choose_arguments(struct nnipc_seccomp_rules *rules)
{
	int error = 0;

	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++)
		for (size_t k = 0; k < choices[i].count && !error; k++) {
			const struct scmp_arg_cmp is = BITS(choices[i].argument, choices[i].mask,
							    (uint32_t)choices[i].values[k]);

			error = nnipc_add_rule(rules, choices[i].action, choices[i].call, 1, &is);
		}
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]) && !error; i++) {
		const struct scmp_arg_cmp others = BITS(flags[i].argument, ~flags[i].bits, 0);

		error = nnipc_add_rule(rules, SCMP_ACT_ALLOW, flags[i].call, 1, &others);
	}
	return error;
}

/* Calls that fail, and that a libc can do without. */
static int answer_lists(struct nnipc_seccomp_rules *rules)
{
	int error = 0;

	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]) && !error; i++)
		error = nnipc_add_rule(rules, SCMP_ACT_ERRNO(ENOSYS), unknown[i], 0, NULL);
	for (size_t i = 0; i < sizeof(terminal_ioctls) / sizeof(terminal_ioctls[0]) && !error;
	     i++) {
		const struct scmp_arg_cmp code = INT(1, terminal_ioctls[i]);

		error = nnipc_add_rule(rules, SCMP_ACT_ERRNO(ENOTTY), SCMP_SYS(ioctl), 1, &code);
	}
	return error;
}

/*
 * fstat() of newer libcs. The flag permits an empty name and does not demand it, so that these
 * calls take any name: they are let through where names lead nowhere.
 */
int nnipc_allow_stat(struct nnipc_seccomp_rules *rules, bool empty_root)
{
	const struct scmp_arg_cmp stat = BITS(3, AT_EMPTY_PATH, AT_EMPTY_PATH);
	const struct scmp_arg_cmp statx = BITS(2, AT_EMPTY_PATH, AT_EMPTY_PATH);
	int error;

	if (!empty_root && NNIPC_ANSWERS_STAT)
		/* libc takes the other call, which seccomp_sigsys.c answers */
		return nnipc_add_rule(rules, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(statx), 1, &statx);
	error = nnipc_add_rule(rules, SCMP_ACT_ALLOW, SCMP_SYS(newfstatat), 1, &stat);
	return error ? error : nnipc_add_rule(rules, SCMP_ACT_ALLOW, SCMP_SYS(statx), 1, &statx);
}

struct rule {
	uint32_t action;
	int call;
	unsigned int count;
	struct scmp_arg_cmp arguments[3];
};

int nnipc_allow_calls(struct nnipc_seccomp_rules *rules)
{
	const struct rule some[] = {
		/* no new code: neither written here nor mapped from a file */
		{ SCMP_ACT_ALLOW,
		  SCMP_SYS(mmap),
		  2,
		  { BITS(2, PROT_EXEC, 0), BITS(3, MAP_HUGETLB, 0) } },
		{ SCMP_ACT_ALLOW,
		  SCMP_SYS(mmap2),
		  2,
		  { BITS(2, PROT_EXEC, 0), BITS(3, MAP_HUGETLB, 0) } },
		{ SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1, { BITS(2, PROT_EXEC, 0) } },
		{ SCMP_ACT_ALLOW,
		  SCMP_SYS(clone),
		  1,
		  { BITS(NNIPC_CLONE_FLAGS, (uint64_t)(uint32_t)(THREAD_FLAGS | OTHER_FLAGS),
			 THREAD_FLAGS) } },
		/* abort(), pthread_kill() */
		{ SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, { INT(0, getpid()) } },
		/* fences of user space: connected, so that no address counts */
		{ SCMP_ACT_ALLOW,
		  SCMP_SYS(socketpair),
		  2,
		  { INT(0, AF_UNIX), BITS(1, 0xf, SOCK_SEQPACKET) } },
		{ SCMP_ACT_ALLOW,
		  SCMP_SYS(socketpair),
		  2,
		  { INT(0, AF_UNIX), BITS(1, 0xf, SOCK_STREAM) } },
		{ SCMP_ACT_ALLOW, SCMP_SYS(sendto), 1, { SCMP_A4(SCMP_CMP_EQ, 0, 0) } },
		/* reading its own limits */
		{ SCMP_ACT_ALLOW,
		  SCMP_SYS(prlimit64),
		  2,
		  { INT(0, 0), SCMP_A2(SCMP_CMP_EQ, 0, 0) } },
		{ SCMP_ACT_ALLOW, SCMP_SYS(prctl), 1, { INT(0, PR_SET_NAME) } },
		{ SCMP_ACT_ALLOW, SCMP_SYS(prctl), 1, { INT(0, PR_GET_NAME) } },
		/* pages that stay are counted for the user, over all of its processes */
		{ SCMP_ACT_ERRNO(EPERM), SCMP_SYS(mlock), 0, { { 0 } } },
		{ SCMP_ACT_ERRNO(EPERM), SCMP_SYS(mlock2), 0, { { 0 } } },
		/* libc asks with it whether there are locks that lend a priority */
		{ SCMP_ACT_ERRNO(ENOSYS),
		  SCMP_SYS(futex),
		  1,
		  { BITS(1, (uint32_t)FUTEX_CMD_MASK, FUTEX_UNLOCK_PI) } },
		/* malloc() of newer libcs gives memory names */
		{ SCMP_ACT_ERRNO(EINVAL), SCMP_SYS(prctl), 1, { INT(0, PR_SET_VMA) } },
		/* registers for matrices (AMX): what it may use, and asking for it */
		{ SCMP_ACT_ALLOW, SCMP_SYS(arch_prctl), 1, { INT(0, GET_XCOMP_SUPP) } },
		{ SCMP_ACT_ALLOW, SCMP_SYS(arch_prctl), 1, { INT(0, GET_XCOMP_PERM) } },
		{ SCMP_ACT_ALLOW, SCMP_SYS(arch_prctl), 1, { INT(0, REQ_XCOMP_PERM) } },
	};
	int error = allow_lists(rules);

	if (!error)
		error = choose_arguments(rules);
	if (!error)
		error = answer_lists(rules);
	if (!error)
		error = allow_handlers(rules);
	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]) && !error; i++)
		error = nnipc_add_rule(rules, some[i].action, some[i].call, some[i].count,
				       some[i].arguments);
	return error;
}
