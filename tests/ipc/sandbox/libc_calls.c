// SPDX-License-Identifier: Apache-2.0
#include "libc_calls.h"

#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <linux/sock_diag.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define TEXT(text) ((long)(text))
/* Numbers and flags that headers of 6.1 do not have. */
#define NOEXEC_SEAL 8
#define CACHESTAT 451
#define MAP_SHADOW_STACK 453
#define FUTEX_WAKE_ALONE 454
#define FUTEX_WAIT_ALONE 455
#define FUTEX_REQUEUE_ALONE 456
#define MSEAL 462
#define GUARD_INSTALL 102
#define MAP_DROPPABLE_MEMORY 8

/* Upper half of an int's register: the kernel does not look at it. */
#define GARBAGE (1l << 32)
/* No word is it. */
#define UNEQUAL 0x7777777

static char page[4096] __attribute__((aligned(4096)));
/* a page of its own, which nothing touches afterwards */
static char guarded[4096] __attribute__((aligned(4096)));
static long words[512] __attribute__((aligned(64)));
static socklen_t length = sizeof(page);

const struct libc_call libc_calls[] = {
	/* isatty() */
	{ "terminal", SYS_ioctl, { 0, TCGETS, TEXT(page) }, -ENOTTY },
	{ "terminal-2", SYS_ioctl, { 0, TCGETS2, TEXT(page) }, -ENOTTY },
	{ "terminal-size", SYS_ioctl, { 0, TIOCGWINSZ, TEXT(page) }, -ENOTTY },
	/* threads */
	{ "clone3", SYS_clone3, { 0, 0 }, -ENOSYS },
	{ "rseq", SYS_rseq, { TEXT(words), 1, 0, 0 }, LIBC_CALL_MADE },
	{ "robust-list", SYS_set_robust_list, { TEXT(words), 24 }, 0 },
	{ "futex-waitv", SYS_futex_waitv, { 0, 0, 0, 0, 0 }, -ENOSYS },
	{ "wake", SYS_futex, { TEXT(words), FUTEX_WAKE | FUTEX_PRIVATE_FLAG | GARBAGE, 1 }, 0 },
	{ "wait",
	  SYS_futex,
	  { TEXT(words), FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, UNEQUAL, 0, 0, -1 },
	  -EAGAIN },
	{ "requeue",
	  SYS_futex,
	  { TEXT(words), FUTEX_CMP_REQUEUE | FUTEX_PRIVATE_FLAG, 0, 0, TEXT(words + 8), UNEQUAL },
	  -EAGAIN },
	/* pthread_mutex_init() of a lock that lends a priority */
	{ "unlock-priority", SYS_futex, { TEXT(words), FUTEX_UNLOCK_PI, 0, 0 }, -ENOSYS },
	{ "futex-wake", FUTEX_WAKE_ALONE, { TEXT(words), 1, 1, 2 }, -ENOSYS },
	{ "futex-wait", FUTEX_WAIT_ALONE, { TEXT(words), 1, 1, 2, 0, 0 }, -ENOSYS },
	{ "futex-requeue", FUTEX_REQUEUE_ALONE, { TEXT(words), 0, 0, 0 }, -ENOSYS },
	{ "membarrier", SYS_membarrier, { MEMBARRIER_CMD_QUERY, 0, 0 }, LIBC_CALL_MADE },
	{ "membarrier-all", SYS_membarrier, { MEMBARRIER_CMD_GLOBAL, 0, 0 }, -EINVAL },
	{ "cpu", SYS_getcpu, { TEXT(words), 0, 0 }, 0 },
	{ "sched-setattr", SYS_sched_setattr, { 0, TEXT(words), 0 }, -ENOSYS },
	{ "sched-getattr", SYS_sched_getattr, { 0, TEXT(words), 48, 0 }, -ENOSYS },
	/* memory: stacks with guards, names, the state of getrandom() without a call */
	{ "guard", SYS_madvise, { TEXT(guarded), 4096, GUARD_INSTALL }, LIBC_CALL_MADE },
	{ "give-back", SYS_madvise, { TEXT(guarded), 4096, MADV_DONTNEED | GARBAGE }, 0 },
	{ "merge", SYS_madvise, { TEXT(page), 4096, MADV_MERGEABLE }, -EINVAL },
	{ "lock-memory", SYS_mlock, { TEXT(page), 4096 }, -EPERM },
	{ "lock-memory-2", SYS_mlock2, { TEXT(page), 4096, 1 }, -EPERM },
	{ "unlock-memory", SYS_munlock, { TEXT(page), 4096 }, 0 },
	{ "resident", SYS_mincore, { TEXT(page), 4096, TEXT(words) }, -ENOSYS },
	{ "name-memory", SYS_prctl, { PR_SET_VMA, 0, TEXT(page), 4096, TEXT("x") }, -EINVAL },
	{ "random-state",
	  SYS_mmap,
	  { 0, 4096, PROT_READ | PROT_WRITE, MAP_DROPPABLE_MEMORY | MAP_ANONYMOUS, -1, 0 },
	  LIBC_CALL_MADE },
	{ "random", SYS_getrandom, { TEXT(page), 16, 0 }, 16 },
	{ "seal", MSEAL, { TEXT(page), 4096, 0 }, -ENOSYS },
	{ "shadow-stack", MAP_SHADOW_STACK, { 0, 4096, 0 }, LIBC_CALL_MADE },
#ifdef __riscv
	{ "extensions", 258, { TEXT(page), 0, 0, 0, 0 }, LIBC_CALL_MADE },
#endif
	/* descriptors */
	{ "stat", SYS_newfstatat, { 0, TEXT(""), TEXT(page), AT_EMPTY_PATH }, 0 },
	{ "statx", SYS_statx, { 0, TEXT(""), AT_EMPTY_PATH, 0x7ff, TEXT(page) }, 0 },
	/* the same with a name: behind an empty root it leads nowhere */
	{ "stat-name",
	  SYS_newfstatat,
	  { AT_FDCWD, TEXT("/etc/passwd"), TEXT(page), AT_EMPTY_PATH },
	  -ENOENT },
	{ "statx-name",
	  SYS_statx,
	  { AT_FDCWD, TEXT("/etc/passwd"), AT_EMPTY_PATH, 0x7ff, TEXT(page) },
	  -ENOENT },
	{ "read-at", SYS_preadv2, { -1, 0, 0, 0, 0, RWF_NOWAIT }, -EBADF },
	{ "write-at", SYS_pwritev2, { -1, 0, 0, 0, 0, RWF_DSYNC | RWF_APPEND }, -EBADF },
	{ "pipe", SYS_pipe2, { TEXT(words), O_CLOEXEC | O_NONBLOCK | GARBAGE }, 0 },
	{ "memory-file",
	  SYS_memfd_create,
	  { TEXT("x"), MFD_CLOEXEC | MFD_ALLOW_SEALING | NOEXEC_SEAL },
	  LIBC_CALL_MADE },
	{ "close-range", SYS_close_range, { 1000, 1001, 0 }, 0 },
	{ "cachestat", CACHESTAT, { 0, TEXT(words), TEXT(words), 0 }, -ENOSYS },
	{ "epoll", SYS_epoll_pwait2, { -1, TEXT(page), 1, 0, 0, 0 }, -EBADF },
	{ "limits", SYS_prlimit64, { 0, RLIMIT_STACK, 0, TEXT(page) }, 0 },
	/* what the worker reads of its sockets */
	{ "socket-memory",
	  SYS_getsockopt,
	  { 3, SOL_SOCKET, SO_MEMINFO, TEXT(page), TEXT(&length) },
	  0 },
	{ "socket-type", SYS_getsockopt, { 3, SOL_SOCKET, SO_TYPE, TEXT(page), TEXT(&length) }, 0 },
	{ "socket-domain",
	  SYS_getsockopt,
	  { 3, SOL_SOCKET, SO_DOMAIN, TEXT(page), TEXT(&length) },
	  0 },
	{ "socket-listens",
	  SYS_getsockopt,
	  { 3, SOL_SOCKET, SO_ACCEPTCONN, TEXT(page), TEXT(&length) },
	  0 },
};
const size_t num_libc_calls = sizeof(libc_calls) / sizeof(libc_calls[0]);

long libc_call(const char *name)
{
	for (size_t i = 0; i < num_libc_calls; i++) {
		const long *a = libc_calls[i].arguments;
		long value;

		if (strcmp(libc_calls[i].name, name))
			continue;
		value = syscall(libc_calls[i].number, a[0], a[1], a[2], a[3], a[4], a[5]);
		return value < 0 ? -errno : value;
	}
	return -1;
}
