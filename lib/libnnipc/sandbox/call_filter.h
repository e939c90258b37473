/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filter of system calls: what is not allowed ends the process with a line that names the call.
 */
#ifndef NNIPC_CALL_FILTER_H
#define NNIPC_CALL_FILTER_H

#include <seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * nnipc_call_filter_prepare() - make a filter of system calls
 * @profile: file with additions; NULL: none
 * @learn: calls that are not allowed are told once each, and run
 * @filter: set to the filter, for nnipc_call_filter_load() or seccomp_release()
 * @message: on an error, why
 * @size: of @message
 *
 * Reads the profile.
 *
 * Return: 0; -EINVAL: the profile; another errno: the kernel.
 */
int nnipc_call_filter_prepare(const char *profile, bool learn, scmp_filter_ctx *filter,
			      char *message, size_t size);
/** The filter takes effect for all threads, and is released. Opens nothing. 0 or -errno. */
int nnipc_call_filter_load(scmp_filter_ctx filter, bool learn);

/** Numbers of native system calls are less. */
#define NNIPC_MOST_CALLS 1024

/** A filter while it is made. */
struct nnipc_call_rules {
	scmp_filter_ctx filter;
	/* A call that the profile names has no other rule: libseccomp would take either. */
	bool named[NNIPC_MOST_CALLS];
	bool ioctls; /* the profile has single ones */
};

/* ---- parts ---- */

/** An argument of type int: its lower half; the kernel ignores the upper one. */
#define NNIPC_INT_ARGUMENT(argument, value) \
	SCMP_CMP(argument, SCMP_CMP_MASKED_EQ, 0xffffffffu, (uint32_t)(value))

/**
 * One rule, of a call that the profile does not name. Calls that this processor does not have are
 * left out. 0 or -errno.
 */
int nnipc_add_rule(struct nnipc_call_rules *rules, uint32_t action, int call, unsigned int count,
		   const struct scmp_arg_cmp *arguments);
int nnipc_allow_ioctl(struct nnipc_call_rules *rules, unsigned int request);
/** What every worker may do: allowed_calls.c. 0 or -errno. */
int nnipc_allow_calls(struct nnipc_call_rules *rules);
/** The lines of a profile, before all other rules: call_profile.c. */
int nnipc_read_profile(struct nnipc_call_rules *rules, const char *path, char *message,
		       size_t size);
/** The same of @text, named @path in messages; @text is cut into pieces. */
int nnipc_parse_profile(struct nnipc_call_rules *rules, const char *path, char *text, char *message,
			size_t size);

/** Tell of calls that are not allowed and end the process: call_violation.c. 0 or -errno. */
int nnipc_watch_violations(void);
/** Tell of calls that are not allowed, and have them run: call_learning.c. 0 or -errno. */
int nnipc_allow_learning(struct nnipc_call_rules *rules);
int nnipc_learn_calls(int listener);

#endif
