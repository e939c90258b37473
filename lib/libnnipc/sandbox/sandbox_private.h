/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the sandbox: namespaces, privileges, the file system, system calls, the monitor. */
#ifndef NNACCEL_SANDBOX_PRIVATE_H
#define NNACCEL_SANDBOX_PRIVATE_H

#include <limits.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "sandbox/sandbox.h"

/*
 * seccomp_filter.c: the two seccomp filters. The first one, while the vendor library opens its
 * device, lets some calls fail; behind the second one a call that is not allowed ends the process
 * with a line that names the call, or at once if no library makes it. Filters add up: none takes
 * another one's place.
 */

struct nnipc_open_places;

/** A profile, read while files can be opened. */
struct nnipc_profile {
	const char *path; /* for messages */
	char *text; /* the owner's to free() */
};
/** Sets both. 0; -EINVAL: it cannot be read, or is no text. */
int nnipc_profile_read(struct nnipc_profile *profile, const char *path, char *message, size_t size);

/** How a filter is. */
enum nnipc_filter_flag {
	NNIPC_FILTER_LEARN = 1 << 0, /* calls that are not allowed are printed once each, and run */
	NNIPC_FILTER_EMPTY_ROOT = 1 << 1, /* names of files lead nowhere */
	NNIPC_FILTER_OWN_PIDS = 1 << 2, /* numbers of processes are its own threads' */
	NNIPC_FILTER_NONE = 1 << 3 /* of the first: the profile is checked, nothing is filtered */
};

/**
 * nnipc_opening_filter_load() - the first filter takes effect
 * @profile: calls that it allows are not refused; NULL: none
 * @places: lines about files are added to it
 * @flags: enum nnipc_filter_flag
 * @filter_error: set to 0, or -errno of the filter itself
 * @message: on an error, why
 * @size: of @message
 *
 * One thread. Return: 0; -EINVAL: the profile; -ENOMEM.
 */
int nnipc_opening_filter_load(const struct nnipc_profile *profile, struct nnipc_open_places *places,
			      unsigned int flags, int *filter_error, char *message, size_t size);

/**
 * nnipc_seccomp_filter_prepare() - make the second filter
 * @profile: additions; NULL: none
 * @flags: enum nnipc_filter_flag
 * @filter: set to the filter, for nnipc_seccomp_filter_load() or seccomp_release()
 * @message: on an error, why
 * @size: of @message
 *
 * Return: 0; -EINVAL: the profile; another errno: the kernel.
 */
int nnipc_seccomp_filter_prepare(const struct nnipc_profile *profile, unsigned int flags,
				 scmp_filter_ctx *filter, char *message, size_t size);
/** The filter takes effect for all threads, and is released. Opens nothing. 0 or -errno. */
int nnipc_seccomp_filter_load(scmp_filter_ctx filter, bool learn);

/** Numbers of native system calls are less. */
#define NNIPC_MOST_CALLS 1024

/** A filter while it is made. */
struct nnipc_seccomp_rules {
	scmp_filter_ctx filter;
	/* A call that the profile names has no other rule: libseccomp would take either. */
	bool named[NNIPC_MOST_CALLS];
	bool allowed[NNIPC_MOST_CALLS]; /* by a line of its own */
	bool ioctls; /* the profile has single ones */
	struct nnipc_open_places *places; /* for lines about files; NULL: they are checked */
};

/* ---- parts ---- */

/** Which argument of clone() the flags are. */
#if defined(__s390__) || defined(__cris__)
#define NNIPC_CLONE_FLAGS 1
#else
#define NNIPC_CLONE_FLAGS 0
#endif

/** An argument of type int: its lower half; the kernel ignores the upper one. */
#define NNIPC_INT_ARGUMENT(argument, value) \
	SCMP_CMP(argument, SCMP_CMP_MASKED_EQ, 0xffffffffu, (uint32_t)(value))

/**
 * One rule, of a call that the profile does not name. Calls that this processor does not have are
 * left out. 0 or -errno.
 */
int nnipc_add_rule(struct nnipc_seccomp_rules *rules, uint32_t action, int call, unsigned int count,
		   const struct scmp_arg_cmp *arguments);
int nnipc_allow_ioctl(struct nnipc_seccomp_rules *rules, unsigned int request);
/** What every worker may do: seccomp_allowed.c. 0 or -errno. */
int nnipc_allow_calls(struct nnipc_seccomp_rules *rules);
/** Whether seccomp_sigsys.c answers newfstatat() of a descriptor: it knows the registers. */
#if defined(__x86_64__) || defined(__aarch64__)
#define NNIPC_ANSWERS_STAT 1
#else
#define NNIPC_ANSWERS_STAT 0
#endif
/** newfstatat() and statx(): seccomp_allowed.c. 0 or -errno. */
int nnipc_allow_stat(struct nnipc_seccomp_rules *rules, bool empty_root);
/**
 * Calls that no vendor library makes end the process in the kernel, without a line: those of
 * seccomp_refused.c. 0 or -errno.
 */
int nnipc_kill_calls(struct nnipc_seccomp_rules *rules);
/** What no vendor library needs to open its device: seccomp_refused.c. 0 or -errno. */
int nnipc_refuse_calls(struct nnipc_seccomp_rules *rules);
/** One rule of it, of a call that the profile does not allow. 0 or -errno. */
int nnipc_refuse_call(struct nnipc_seccomp_rules *rules, int call, unsigned int count,
		      const struct scmp_arg_cmp *arguments);
/** The lines of a profile, before all other rules: seccomp_profile.c. */
int nnipc_take_profile(struct nnipc_seccomp_rules *rules, const struct nnipc_profile *profile,
		       char *message, size_t size);
/** The same of @text, named @path in messages; @text is cut into pieces. */
int nnipc_parse_profile(struct nnipc_seccomp_rules *rules, const char *path, char *text,
			char *message, size_t size);

/** Log calls that are not allowed, and end the process: seccomp_sigsys.c. 0 or -errno. */
int nnipc_watch_violations(void);

/* privileges.c: what a process may do beyond others, and how much it may take. */

/** This thread has no capability any more, and gets none from those it makes. 0 or -errno. */
int nnipc_drop_capabilities(void);
/** This thread has @capability at most. 0 or -errno. */
int nnipc_keep_capability(unsigned int capability);

/**
 * Limits of resources. @own_user: the process is in a user namespace of its own, so that the
 * processes of the user can be counted. 0 or -errno.
 */
int nnipc_set_limits(bool own_user);
/** Whether another process of this user has them. */
bool nnipc_limits_hold(pid_t process);

/*
 * spawn_start.c: the start of a program, and what its two short-lived processes do. They share the
 * caller's memory and stop the calling thread meanwhile, as vfork() does: only system calls, no
 * lock, no allocation.
 */

/* Descriptors of a spawned program. */
#define NNIPC_SOCKET_FD 3
#define NNIPC_STATUS_FD 4 /* the monitor's to the parent */
#define NNIPC_PARENT_FD 5 /* pidfd of the parent */
/** Environment of a spawned program. */
#define NNIPC_SPAWNED "NNIPC_SPAWNED"

/** struct nnipc_last_words - messages on the status socket, in this order */
enum nnipc_word {
	NNIPC_WORD_WORKER = 1, /* of the worker itself, whose pid comes with it */
	NNIPC_WORD_SHUT = 2, /* of the monitor: the worker has let go of it */
	NNIPC_WORD_END = 3 /* of the monitor */
};
struct nnipc_last_words {
	uint32_t word; /* enum nnipc_word */
	union {
		uint32_t layers; /* WORKER: enum nnipc_layer, so far */
		int32_t status; /* END: exit status, or minus the signal */
	};
};

enum nnipc_start_step {
	NNIPC_START_CLONE,
	NNIPC_START_CGROUP,
	NNIPC_START_DESCRIPTORS,
	NNIPC_START_EXEC
};

struct nnipc_start {
	const struct nnipc_spawn_config *config;
	char *const *envp;
	int null, status, parent; /* become 0, NNIPC_STATUS_FD, NNIPC_PARENT_FD */
	char *stack; /* 2 * NNIPC_START_STACK bytes */

	/* set */
	pid_t pid;
	int pidfd; /* -1: none */
	int error; /* errno; 0: it runs */
	enum nnipc_start_step step; /* at which it failed */
};
#define NNIPC_START_STACK 65536

/** All signals are blocked. 0 or @start's error, positive. */
int nnipc_start_run(struct nnipc_start *start);

/* monitor.c: the monitor: the worker's parent, which runs no code of a vendor. See sandbox.h. */

/** Status of a process that ended itself because of @signal: as shells write it. */
#define NNIPC_STATUS_OF_SIGNAL(signal) (128 + (signal))

/**
 * nnipc_monitor_fork() - become the worker of a monitor
 * @socket: set to the worker's socket to the monitor
 *
 * The process was made by nnipc_spawn() and has one thread. Returns in the worker only; the monitor
 * lives on in its parent, without the worker's socket, and exits.
 *
 * Return: 0 or -errno.
 */
int nnipc_monitor_fork(int *socket);

/**
 * nnipc_monitor_announce() - report to the parent that there is a worker
 * @layers: enum nnipc_layer: those that it has so far
 *
 * In the worker, once, before vendor code runs: it has no way to the parent afterwards.
 */
void nnipc_monitor_announce(uint32_t layers);

/**
 * nnipc_monitor_empty_root() - have the monitor replace the root
 * @socket: to the monitor
 *
 * The root of all processes of the mount namespace is an empty folder then, and the monitor has no
 * capability any more. Once.
 *
 * Return: 0 or -errno.
 */
int nnipc_monitor_empty_root(int socket);

/*
 * landlock_domain.c: landlock: what a process may do with files, and whom it reaches. A domain is a
 * thread's; threads that it makes have it, too. A right that the kernel's version does not know is
 * left to the other layers.
 */

/**
 * nnipc_landlock_enter() - open what is there in some places, and nothing else
 * @places: absolute paths; one that does not exist is left out
 * @count: of @places
 *
 * The process has one thread. No file is made, renamed, removed or executed, no port used; no
 * signal, no tracing and no abstract socket goes outside.
 *
 * Return: 0; -EOPNOTSUPP: the kernel has no Landlock; another errno.
 */
int nnipc_landlock_enter(const struct nnipc_place *places, size_t count);

/** All threads: nothing can be opened either. 0 or -errno. */
int nnipc_landlock_close(void);

/* open_places.c: the files that a vendor library may open until the sandbox is locked: a list. */

/** Paths are the list's own. All zero: empty. */
struct nnipc_open_places {
	const char *library; /* the vendor's; NULL: none. Constant */
	struct nnipc_place *entries;
	size_t count, room;
};

/**
 * nnipc_open_place() - add a place
 * @places: the list
 * @path: absolute, or begins with "$ORIGIN", the folders of the library's name and of its file, or
 *	with "$NAME", a variable of the environment that has an absolute path
 * @use: what may be done there
 *
 * A variable that is not set adds nothing. Files that are missing when the list takes effect are
 * left out then.
 *
 * Return: 0; -EINVAL: @path is of another form; -ENOMEM.
 */
int nnipc_open_place(struct nnipc_open_places *places, const char *path, enum nnipc_use use);
/** What every library needs: the system's libraries and its view of the machine. 0 or -ENOMEM. */
int nnipc_open_system(struct nnipc_open_places *places);
void nnipc_open_places_fini(struct nnipc_open_places *places);

/* What enter and close share. */

/* A sanitizer opens files, maps memory and makes calls whenever it likes. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NNIPC_SANITIZED 1
#else
#define NNIPC_SANITIZED 0
#endif

/**
 * The layer is active, if @error is 0. Else the layer is missing: 0, or in strict mode -EPERM with
 * a message.
 */
int nnipc_sandbox_layer(struct nnipc_sandbox *sandbox, enum nnipc_layer layer, int error,
			char *message, size_t size);

/* every_thread.c */

/**
 * nnipc_on_every_thread() - call a function once in each thread of the process, in this one last
 * @fn: only system calls; 0 or -errno. Threads inherit what it does from those that make them
 * @cookie: for @fn
 *
 * For attributes of threads that the kernel cannot set for a whole process. The other threads are
 * interrupted by a signal that libc keeps to itself, so that no program blocks it; libc uses it in
 * setuid() and its like, which must not run at the same time. One caller at a time; /proc is
 * needed.
 *
 * Return: 0; the first error of @fn; -ETIME: a thread did not come; -EAGAIN: threads are made
 * without an end; another errno.
 */
int nnipc_on_every_thread(int (*fn)(void *cookie), void *cookie);

/* Numbers of a "status" file of /proc. */

#define NNIPC_SECCOMP_FILTER 2 /* of the line "Seccomp" */

/** The number on the line @name; UINT64_MAX: there is no such line. */
static inline uint64_t nnipc_status_number(const char *text, const char *name, int base)
{
	const size_t length = strlen(name);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += line != text;
		if (!strncmp(line, name, length) && line[length] == ':')
			return strtoull(line + length + 1, NULL, base);
	}
	return UINT64_MAX;
}

/** How many filters a thread has; UINT_MAX: the kernel does not count them (before 5.9). */
static inline unsigned int nnipc_status_filters(const char *text)
{
	const uint64_t count = nnipc_status_number(text, "Seccomp_filters", 10);

	return count < UINT_MAX ? (unsigned int)count : UINT_MAX;
}

#endif
