// SPDX-License-Identifier: Apache-2.0
#include "breakout_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/futex.h>
#include <linux/keyctl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define TEXT(text) ((long)(text))
/* Any process that is not the worker, which is the first one in its namespace. */
#define OTHER 2
/* Upper half of an int's register: the kernel does not look at it. */
#define GARBAGE (1l << 32)

static char page[4096] __attribute__((aligned(4096)));
static const struct rlimit much = { 100000, 100000 };
static const char *const argv[] = { "sh", NULL };
static const struct iovec piece = { page, sizeof(page) };

const struct breakout_call breakout_calls[] = {
	/* files */
	{ "openat", SYS_openat, { AT_FDCWD, TEXT("/etc/passwd"), O_RDONLY } },
	{ "openat-memory", SYS_openat, { AT_FDCWD, TEXT("/proc/self/mem"), O_RDWR } },
	{ "openat2", SYS_openat2, { AT_FDCWD, TEXT("/"), TEXT(page), 24 } },
	{ "creat", SYS_openat, { AT_FDCWD, TEXT("/x"), O_CREAT | O_WRONLY, 0600 } },
	{ "stat", SYS_newfstatat, { AT_FDCWD, TEXT("/"), TEXT(page), 0 } },
	{ "statx", SYS_statx, { AT_FDCWD, TEXT("/"), 0, 0x7ff, TEXT(page) } },
	{ "access", SYS_faccessat, { AT_FDCWD, TEXT("/"), F_OK } },
	{ "readlink", SYS_readlinkat, { AT_FDCWD, TEXT("/proc/self/exe"), TEXT(page), 100 } },
	{ "unlink", SYS_unlinkat, { AT_FDCWD, TEXT("/x"), 0 } },
	{ "rename", SYS_renameat2, { AT_FDCWD, TEXT("/x"), AT_FDCWD, TEXT("/y"), 0 } },
	{ "link", SYS_linkat, { AT_FDCWD, TEXT("/x"), AT_FDCWD, TEXT("/y"), 0 } },
	{ "symlink", SYS_symlinkat, { TEXT("/x"), AT_FDCWD, TEXT("/y") } },
	{ "mkdir", SYS_mkdirat, { AT_FDCWD, TEXT("/x"), 0700 } },
	{ "mknod", SYS_mknodat, { AT_FDCWD, TEXT("/x"), 020600, 0x103 } },
	{ "chmod", SYS_fchmodat, { AT_FDCWD, TEXT("/"), 0777 } },
	{ "chown", SYS_fchownat, { AT_FDCWD, TEXT("/"), 0, 0, 0 } },
	{ "truncate", SYS_truncate, { TEXT("/x"), 0 } },
	{ "handle", SYS_open_by_handle_at, { AT_FDCWD, TEXT(page), 0 } },
	{ "chdir", SYS_chdir, { TEXT("/") } },
	{ "fchdir", SYS_fchdir, { 3 } },
	{ "inotify", SYS_inotify_init1, { 0 } },
	/* the network, other processes' sockets */
	{ "socket", SYS_socket, { AF_INET, SOCK_STREAM, 0 } },
	{ "socket-unix", SYS_socket, { AF_UNIX, SOCK_DGRAM, 0 } },
	{ "socketpair-datagram", SYS_socketpair, { AF_UNIX, SOCK_DGRAM, 0, TEXT(page) } },
	{ "socketpair-inet", SYS_socketpair, { AF_INET, SOCK_STREAM, 0, TEXT(page) } },
	{ "connect", SYS_connect, { 3, TEXT(page), 16 } },
	{ "bind", SYS_bind, { 3, TEXT(page), 16 } },
	{ "accept", SYS_accept4, { 3, 0, 0, 0 } },
	{ "sendto", SYS_sendto, { 3, TEXT(page), 1, 0, TEXT(page), 16 } },
	{ "socket-filter", SYS_setsockopt, { 3, SOL_SOCKET, SO_ATTACH_FILTER, TEXT(page), 16 } },
	{ "socket-option", SYS_setsockopt, { 3, SOL_SOCKET, SO_SNDBUF, TEXT(page), 4 } },
	{ "peer-process", SYS_getsockopt, { 3, SOL_SOCKET, 77, TEXT(page), TEXT(page) } },
	{ "peer", SYS_getsockopt, { 3, SOL_SOCKET, SO_PEERCRED, TEXT(page), TEXT(page) } },
	/* programs and processes */
	{ "execve", SYS_execve, { TEXT("/bin/sh"), TEXT(argv), 0 } },
	{ "execveat", SYS_execveat, { 3, TEXT(""), TEXT(argv), 0, AT_EMPTY_PATH } },
	{ "fork", SYS_clone, { SIGCHLD } },
	{ "clone-namespace", SYS_clone, { CLONE_NEWUSER | SIGCHLD } },
	{ "clone-no-thread", SYS_clone, { CLONE_VM | SIGCHLD, TEXT(page + 2048) } },
	{ "unshare", SYS_unshare, { CLONE_NEWUSER } },
	{ "setns", SYS_setns, { 3, 0 } },
	{ "kill-all", SYS_kill, { -1, SIGKILL } },
	{ "kill", SYS_kill, { OTHER, SIGKILL } },
	{ "kill-self", SYS_kill, { 0, SIGTERM } },
	{ "tkill", SYS_tkill, { OTHER, SIGKILL } },
	{ "tgkill", SYS_tgkill, { OTHER, OTHER, SIGKILL } },
	{ "sigqueue", SYS_rt_sigqueueinfo, { OTHER, SIGKILL, TEXT(page) } },
	{ "pidfd", SYS_pidfd_open, { OTHER, 0 } },
	{ "pidfd-signal", SYS_pidfd_send_signal, { 3, SIGKILL, 0, 0 } },
	{ "pidfd-getfd", SYS_pidfd_getfd, { 3, 0, 0 } },
	{ "ptrace", SYS_ptrace, { PTRACE_ATTACH, OTHER, 0, 0 } },
	{ "ptrace-me", SYS_ptrace, { PTRACE_TRACEME, 0, 0, 0 } },
	{ "read-process", SYS_process_vm_readv, { OTHER, TEXT(&piece), 1, TEXT(&piece), 1 } },
	{ "write-process", SYS_process_vm_writev, { OTHER, TEXT(&piece), 1, TEXT(&piece), 1 } },
	{ "kcmp", SYS_kcmp, { OTHER, OTHER, 0, 0, 0 } },
	{ "setsid", SYS_setsid, { 0 } },
	/* code */
	{ "map-code", SYS_mmap, { 0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, 0x22, -1, 0 } },
	{ "map-read-only-code", SYS_mmap, { 0, 4096, PROT_READ | PROT_EXEC, 0x22, -1, 0 } },
	{ "protect-code", SYS_mprotect, { TEXT(page), 4096, PROT_READ | PROT_EXEC } },
	{ "protect-all", SYS_mprotect, { TEXT(page), 4096, PROT_READ | PROT_WRITE | PROT_EXEC } },
	{ "protect-key", SYS_pkey_mprotect, { TEXT(page), 4096, PROT_EXEC, -1 } },
	{ "personality", SYS_personality, { 0x0400000 } },
	{ "huge-memory", SYS_memfd_create, { TEXT("huge"), MFD_CLOEXEC | MFD_HUGETLB } },
	{ "map-huge", SYS_mmap, { 0, 1 << 21, PROT_READ | PROT_WRITE, 0x40022, -1, 0 } },
	{ "shared-memory", SYS_shmget, { 0, 4096, 01600 } },
	/* limits, users, what holds it */
	{ "setrlimit", SYS_setrlimit, { RLIMIT_NOFILE, TEXT(&much) } },
	{ "prlimit", SYS_prlimit64, { 0, RLIMIT_NOFILE, TEXT(&much), 0 } },
	{ "prlimit-other", SYS_prlimit64, { OTHER, RLIMIT_NOFILE, 0, TEXT(page) } },
	{ "setuid", SYS_setuid, { 0 } },
	{ "setgroups", SYS_setgroups, { 0, 0 } },
	{ "capset", SYS_capset, { TEXT(page), TEXT(page) } },
	{ "seccomp", SYS_seccomp, { 0, 0, 0 } },
	{ "prctl-seccomp", SYS_prctl, { PR_SET_SECCOMP, 1 } },
	{ "prctl-parent", SYS_prctl, { PR_SET_PDEATHSIG, 0 } },
	{ "prctl-dump", SYS_prctl, { PR_SET_DUMPABLE, 1 } },
	{ "sigsys", SYS_rt_sigaction, { SIGSYS, TEXT(page), 0, 8 } },
	{ "sigsys-garbage", SYS_rt_sigaction, { SIGSYS | GARBAGE, TEXT(page), 0, 8 } },
	{ "owner", SYS_fcntl, { 3, F_SETOWN, OTHER } },
	{ "ioctl", SYS_ioctl, { 3, 0x1234, 0 } },
	{ "ioctl-type", SYS_ioctl, { 0, TIOCSTI, TEXT(page) } },
	/* the kernel */
	{ "mount", SYS_mount, { TEXT("none"), TEXT("/"), TEXT("tmpfs"), 0, 0 } },
	{ "umount", SYS_umount2, { TEXT("/"), 0 } },
	{ "fsopen", SYS_fsopen, { TEXT("tmpfs"), 0 } },
	{ "open-tree", SYS_open_tree, { AT_FDCWD, TEXT("/"), 1 } },
	{ "move-mount", SYS_move_mount, { 3, TEXT(""), AT_FDCWD, TEXT("/"), 4 } },
	{ "pivot-root", SYS_pivot_root, { TEXT("/"), TEXT("/") } },
	{ "chroot", SYS_chroot, { TEXT("/") } },
	{ "bpf", SYS_bpf, { 0, TEXT(page), 64 } },
	{ "userfaultfd", SYS_userfaultfd, { 0 } },
	{ "perf", SYS_perf_event_open, { TEXT(page), 0, -1, -1, 0 } },
	{ "io-uring", SYS_io_uring_setup, { 8, TEXT(page) } },
	{ "io-uring-enter", SYS_io_uring_enter, { 3, 0, 0, 0, 0, 0 } },
	{ "aio", SYS_io_setup, { 8, TEXT(page) } },
	{ "keyctl", SYS_keyctl, { KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0 } },
	{ "add-key", SYS_add_key, { TEXT("user"), TEXT("x"), TEXT("y"), 1, -3 } },
	{ "request-key", SYS_request_key, { TEXT("user"), TEXT("x"), 0, -3 } },
	{ "module", SYS_finit_module, { 3, TEXT(""), 0 } },
	{ "kexec", SYS_kexec_load, { 0, 0, 0, 0 } },
	{ "reboot", SYS_reboot, { 0, 0, 0, 0 } },
	{ "swapon", SYS_swapon, { TEXT("/x"), 0 } },
	{ "hostname", SYS_sethostname, { TEXT("x"), 1 } },
	{ "clock", SYS_clock_settime, { 0, TEXT(page) } },
	{ "syslog", SYS_syslog, { 3, TEXT(page), 16 } },
	{ "fanotify", SYS_fanotify_init, { 0, 0 } },
	{ "landlock", SYS_landlock_create_ruleset, { 0, 0, 1 } },
	{ "move-pages", SYS_move_pages, { OTHER, 0, 0, 0, 0, 0 } },
	{ "process-madvise", SYS_process_madvise, { 3, TEXT(&piece), 1, 20, 0 } },
	/* calls that a worker makes, with arguments that it does not need */
	{ "lock-priority", SYS_futex, { TEXT(page), FUTEX_LOCK_PI, 0, 0 } },
	{ "lock-priority-2", SYS_futex, { TEXT(page), FUTEX_LOCK_PI2 | FUTEX_PRIVATE_FLAG, 0, 0 } },
	{ "try-priority", SYS_futex, { TEXT(page), FUTEX_TRYLOCK_PI | GARBAGE, 0, 0 } },
	{ "wait-priority", SYS_futex, { TEXT(page), FUTEX_WAIT_REQUEUE_PI, 0, 0, TEXT(page) } },
	{ "requeue-priority", SYS_futex, { TEXT(page), FUTEX_CMP_REQUEUE_PI, 1, 0, TEXT(page) } },
	{ "robust-list-other", SYS_get_robust_list, { OTHER, TEXT(page), TEXT(page) } },
	{ "notifications", SYS_pipe2, { TEXT(page), O_EXCL } },
	{ "memory-flags", SYS_memfd_create, { TEXT("x"), MFD_CLOEXEC | 0x20 } },
	{ "cut-hole", SYS_madvise, { TEXT(page), 4096, MADV_REMOVE } },
	{ "poison", SYS_madvise, { TEXT(page), 4096, MADV_HWPOISON } },
	{ "take-offline", SYS_madvise, { TEXT(page), 4096, 101 | GARBAGE } },
	{ "read-polling", SYS_preadv2, { 3, TEXT(&piece), 1, 0, 0, RWF_HIPRI } },
	{ "write-polling", SYS_pwritev2, { 3, TEXT(&piece), 1, 0, 0, RWF_HIPRI } },
	{ "own-descriptors", SYS_close_range, { 1000, 1001, CLOSE_RANGE_UNSHARE } },
	{ "list-folder", SYS_getdents64, { 3, TEXT(page), sizeof(page) } },
	{ "message-queue", SYS_mq_open, { TEXT("x"), O_RDONLY, 0, 0 } },
	{ "semaphores", SYS_semget, { 0, 1, 01600 } },
	{ "quota", SYS_quotactl, { 0, 0, 0, 0 } },
#if defined(__x86_64__)
	/* a table of calls of its own: x32 */
	{ "x32", 0x40000000 | SYS_getpid, { 0 } },
#endif
	{ "unknown", 4000, { 0 } },
};
const size_t num_breakout_calls = sizeof(breakout_calls) / sizeof(breakout_calls[0]);

bool breakout_kills(const struct breakout_call *call)
{
	static const long numbers[] = {
		SYS_ptrace,
		SYS_process_vm_readv,
		SYS_process_vm_writev,
		SYS_kcmp,
		SYS_pidfd_getfd,
		SYS_unshare,
		SYS_setns,
		SYS_mount,
		SYS_umount2,
		SYS_fsopen,
		SYS_open_tree,
		SYS_move_mount,
		SYS_pivot_root,
		SYS_chroot,
		SYS_swapon,
		SYS_quotactl,
		SYS_bpf,
		SYS_userfaultfd,
		SYS_io_uring_setup,
		SYS_io_uring_enter,
		SYS_keyctl,
		SYS_add_key,
		SYS_request_key,
		SYS_finit_module,
		SYS_kexec_load,
		SYS_reboot,
		SYS_sethostname,
		SYS_clock_settime,
		SYS_fanotify_init,
		SYS_seccomp,
		SYS_open_by_handle_at,
		0x40000000 | SYS_getpid,
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (numbers[i] == call->number)
			return true;
	return false;
}

const struct breakout_call *breakout_find(const char *name)
{
	for (size_t i = 0; i < num_breakout_calls; i++)
		if (!strcmp(breakout_calls[i].name, name))
			return &breakout_calls[i];
	return NULL;
}

long breakout_call(const char *name)
{
	const struct breakout_call *call = breakout_find(name);
	const long *a;
	long value;

	if (!call)
		return -1;
	a = call->arguments;
	value = syscall(call->number, a[0], a[1], a[2], a[3], a[4], a[5]);
	return value < 0 ? -errno : value;
}
