/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two seccomp filters. The first one, while the vendor library opens its device, lets some
 * calls fail; behind the second one a call that is not allowed ends the process with a line that
 * names the call, or at once if no library makes it. Filters add up: none takes another one's
 * place.
 */
#ifndef NNIPC_SECCOMP_FILTER_H
#define NNIPC_SECCOMP_FILTER_H

#include <seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
/** Priorities and processors of threads: seccomp_process.c. 0 or -errno. */
int nnipc_allow_own_threads(struct nnipc_seccomp_rules *rules, bool own_pids);
/** The same of other processes, for the first filter. 0 or -errno. */
int nnipc_refuse_others(struct nnipc_seccomp_rules *rules);
/** Whether seccomp_sigsys.c answers newfstatat() of a descriptor: it knows the registers. */
#if defined(__x86_64__) || defined(__aarch64__)
#define NNIPC_ANSWERS_STAT 1
#else
#define NNIPC_ANSWERS_STAT 0
#endif
/** newfstatat() and statx(): seccomp_allowed.c. 0 or -errno. */
int nnipc_allow_stat(struct nnipc_seccomp_rules *rules, bool empty_root);
/** Calls that no vendor library makes: seccomp_hostile.c. */
extern const int nnipc_hostile_calls[];
extern const size_t nnipc_num_hostile_calls;
/** They end the process in the kernel, without a line. 0 or -errno. */
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
/** Log calls that are not allowed, and let them run: seccomp_learning.c. 0 or -errno. */
int nnipc_allow_learning(struct nnipc_seccomp_rules *rules);
int nnipc_learn_calls(int listener);

#endif
