/* SPDX-License-Identifier: Apache-2.0 */
/* Processes, threads, processors, limits. */
#ifndef NNUTIL_PROCESS_H
#define NNUTIL_PROCESS_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/signalfd.h>
#include <sys/types.h>

/*
 * nnutil_process.c: fork(). A child has none of its parent's threads, and its locks are as they
 * were at the fork. The parent's jobs and memory on a device stay the parent's. So every object
 * records the process that made it; in another process its methods touch nothing of it, not even
 * its lock (Documentation/manners.rst). Each library has its own copy of this, with its own
 * objects.
 */

/** Number of this process in a line of forks. It changes in a child before it has other threads. */
extern atomic_uint nnutil_process;
static inline unsigned int nnutil_process_number(void)
{
	return atomic_load_explicit(&nnutil_process, memory_order_relaxed);
}

/** An object that @process made belongs to the parent of this process, or to its parent. */
static inline bool nnutil_process_inherited(unsigned int process)
{
	return process != nnutil_process_number();
}

/** The fork handlers of a file. */
struct nnutil_fork_handler {
	void (*before)(void); /* in the forking thread, takes locks; NULL: nothing */
	void (*after)(bool child); /* in parent and child, releases them */
	struct nnutil_fork_handler *next;
	atomic_bool known;
};
/**
 * Notice forks from now on, and call @handler (static; NULL: none). To be called before the first
 * object or thread is made, and not under a lock that before() takes. Cheap when called again.
 */
void nnutil_process_watch(struct nnutil_fork_handler *handler);

/** Have a child close @fd, so that the parent can free what is behind it. Returns @fd. */
int nnutil_fd_keep(int fd);
/** Close a descriptor that is kept. Both ignore a negative @fd. */
void nnutil_fd_close(int fd);
/**
 * mmap() of memory that is kept from children: their mapping would keep file and memory alive.
 */
void *nnutil_map_kept(size_t size, int prot, int flags, int fd, off_t offset);

/* Signals in threads of ours, where they are the application's, and those that end our programs. */

/**
 * Block the signals that can be meant for another thread; a new thread inherits that. Those that
 * an instruction of the thread itself raises stay: blocked, they would end the process without a
 * word, past the application's crash handler or a sandbox's. *@before: for
 * nnutil_signals_restore().
 */
static inline void nnutil_signals_block(sigset_t *before)
{
	static const int own[] = { SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP };
	sigset_t others;

	sigfillset(&others);
	for (unsigned int i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		sigdelset(&others, own[i]);
	pthread_sigmask(SIG_SETMASK, &others, before);
}

static inline void nnutil_signals_restore(const sigset_t *before)
{
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

/**
 * Of a program: a descriptor that is readable when SIGINT or SIGTERM has come, which are blocked.
 * Call it before the first thread is made: threads inherit the mask. -1 with errno.
 */
static inline int nnutil_signals_ends(void)
{
	sigset_t ends;

	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	pthread_sigmask(SIG_BLOCK, &ends, NULL);
	return signalfd(-1, &ends, SFD_CLOEXEC);
}

/* nnutil_machine.c: the process' cgroup (version 2), and its limits. */

/**
 * The folder of the process' cgroup, below /sys/fs/cgroup. 0; -ENOENT: it is in no cgroup of
 * version 2; -ENAMETOOLONG; another errno of reading /proc. Whether the folder is visible here is
 * not checked.
 */
int nnutil_cgroup_own(char *folder, size_t size);

/* How many processors there are for this process. */

/**
 * Processors that the calling thread may use: those of its affinity, and no more than the quotas
 * (cpu.max) of the process' cgroups amount to, rounded up. At least 1.
 */
uint32_t nnutil_processors(void);

/** The quota of cpu.max's contents, in processors, rounded up; UINT32_MAX: none. */
uint32_t nnutil_quota(const char *text);

/* How much memory there is for this process. */

/**
 * Environment variable, bytes: the limit of a process that cannot see it. A worker has a namespace
 * of cgroups of its own, so who starts it passes its limit on.
 */
#define NNUTIL_MEMORY_LIMIT "NNACCEL_MEMORY_LIMIT"

/** Bytes: the machine's memory, and no more than memory.max of the process' cgroups. */
uint64_t nnutil_memory_limit(void);

/** The bytes of memory.max's contents; UINT64_MAX: no limit. */
uint64_t nnutil_memory_max(const char *text);

/* The data caches of a processor, for code that divides its work by them. */

/** Bytes of the first and of the second level, which each core has for itself. */
struct nnutil_caches {
	size_t first, second;
};

/**
 * The caches of this machine as the C library reports them: 32 KiB and 512 KiB where it reports
 * nothing, and the next size that cores have (16 to 256 KiB, 128 KiB to 4 MiB) where it reports an
 * impossible one, as in some virtual machines. Opens no file. Any thread.
 */
struct nnutil_caches nnutil_caches(void);

/*
 * The registers for matrices of x86 processors (AMX's tiles), which Linux gives to
 * a process that asks. From then on sigaltstack() wants room for them in every thread of the
 * process, and fails for stacks of the old SIGSTKSZ: a process asks for itself, a library does not
 * for an application.
 */

/** Whether the kernel has them to give. */
bool nnutil_tiles_exist(void);
/** Whether this process may use them. */
bool nnutil_tiles_allowed(void);
/**
 * Ask. False: the processor or the kernel has none, or a thread has an alternate stack that is too
 * small.
 */
bool nnutil_tiles_ask(void);

#endif
