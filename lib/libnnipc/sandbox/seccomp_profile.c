// SPDX-License-Identifier: Apache-2.0
/*
 * Profiles: what a vendor library does beyond what every worker may do. A line each:
 *
 *	syscall NAME		with all arguments
 *	ioctl NUMBER		on any descriptor
 *	errno NAME ERROR	fails with ERROR ("EACCES") instead of ending the process
 *	read PATH		the library may read it, or what is below it, while it opens
 *	write PATH		also write what is there
 *	device PATH		also ioctls of devices
 *	device PATTERN DRIVER	the same, for the nodes that match and, by sysfs, are of this driver
 *
 * PATH is absolute or begins with $ORIGIN or a $VARIABLE: open_places.c. "#" begins a
 * comment. A line that is anything else makes the whole profile invalid: a sandbox with a hole in
 * an unknown place is none.
 */
#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "nnutil_file.h"
#include "nnutil_text.h"
#include "nnutil_log.h"
#include "nnutil_node.h"
#include "sandbox/sandbox_private.h"

#define MOST_BYTES 65536u
#define MOST_WORDS 4u
/* Largest errno. */
#define MOST_ERRNO 4095

static int error_number(const char *name)
{
	for (int number = 1; number <= MOST_ERRNO; number++) {
		const char *known = strerrorname_np(number);

		if (known && !strcmp(known, name))
			return number;
	}
	return -EINVAL;
}

static int add_call(struct nnipc_seccomp_rules *rules, uint32_t action, const char *name, char *why,
		    size_t size)
{
	const int call = seccomp_syscall_resolve_name(name);
	int error;

	if (call < 0 || (size_t)call >= sizeof(rules->named))
		return nnutil_refuse(why, size, -EINVAL, "there is no system call %s", name);
	if (rules->named[call] || (call == SCMP_SYS(ioctl) && rules->ioctls))
		return nnutil_refuse(why, size, -EINVAL, "%s is there twice", name);
	error = nnipc_add_rule(rules, action, call, 0, NULL);
	rules->named[call] = true;
	return error ? nnutil_refuse(why, size, error == -ENOMEM ? error : -EINVAL,
				     "%s cannot be filtered", name)
		     : 0;
}

static int take_syscall(struct nnipc_seccomp_rules *rules, char **words, char *why, size_t size)
{
	int error = add_call(rules, SCMP_ACT_ALLOW, words[1], why, size);

	if (!error)
		rules->allowed[seccomp_syscall_resolve_name(words[1])] = true;
	return error;
}

static int take_ioctl(struct nnipc_seccomp_rules *rules, char **words, char *why, size_t size)
{
	uint64_t request;

	if (nnutil_parse_u64(words[1], 0, 0, UINT32_MAX, &request))
		return nnutil_refuse(why, size, -EINVAL, "%s is no number of an ioctl", words[1]);
	if (rules->named[SCMP_SYS(ioctl)])
		return nnutil_refuse(why, size, -EINVAL, "another line is about all ioctls");
	rules->ioctls = true;
	return nnipc_allow_ioctl(rules, (unsigned int)request);
}

static int take_errno(struct nnipc_seccomp_rules *rules, char **words, char *why, size_t size)
{
	const int number = error_number(words[2]);

	if (number < 0)
		return nnutil_refuse(why, size, -EINVAL, "%s is no error", words[2]);
	return add_call(rules, SCMP_ACT_ERRNO((uint32_t)number), words[1], why, size);
}

static int take_place(struct nnipc_seccomp_rules *rules, char **words, char *why, size_t size)
{
	static const char *const uses[] = {
		[NNIPC_USE_READ] = "read",
		[NNIPC_USE_WRITE] = "write",
		[NNIPC_USE_DEVICE] = "device",
	};
	struct nnipc_open_places unused = { 0 };
	enum nnipc_use use = NNIPC_USE_READ;
	int error;

	while (strcmp(words[0], uses[use]))
		use++;
	error = nnipc_open_place(rules->places ? rules->places : &unused, words[1], use);
	nnipc_open_places_fini(&unused);
	return error == -EINVAL ? nnutil_refuse(why, size, error,
						"%s is no path: it begins with / or $", words[1])
				: error;
}

static bool node_has_driver(const char *node, const char *driver)
{
	char folder[64];
	struct stat st;

	if (stat(node, &st) || !S_ISCHR(st.st_mode))
		return false;
	snprintf(folder, sizeof(folder), "/sys/dev/char/%u:%u/device", major(st.st_rdev),
		 minor(st.st_rdev));
	return nnutil_has_driver(folder, driver);
}

static int take_driver(struct nnipc_seccomp_rules *rules, char **words, char *why, size_t size)
{
	glob_t nodes;
	int error;

	if (words[1][0] != '/')
		return nnutil_refuse(why, size, -EINVAL, "%s is no path: it begins with /",
				     words[1]);
	error = glob(words[1], 0, NULL, &nodes);
	if (error)
		return error == GLOB_NOSPACE ? -ENOMEM : 0;
	for (size_t i = 0; i < nodes.gl_pathc && !error; i++)
		if (rules->places && node_has_driver(nodes.gl_pathv[i], words[2]))
			error = nnipc_open_place(rules->places, nodes.gl_pathv[i],
						 NNIPC_USE_DEVICE);
	globfree(&nodes);
	return error;
}

static const struct {
	const char *word;
	size_t words; /* of the line */
	int (*take)(struct nnipc_seccomp_rules *rules, char **words, char *why, size_t size);
} lines[] = {
	{ "syscall", 2, take_syscall }, { "ioctl", 2, take_ioctl }, { "errno", 3, take_errno },
	{ "read", 2, take_place },	{ "write", 2, take_place }, { "device", 2, take_place },
	{ "device", 3, take_driver },
};

/* Cuts @line; more than MOST_WORDS count as MOST_WORDS. */
static size_t seccomp_profile_split(char *line, char **words)
{
	size_t count = 0;
	char *rest;

	line[strcspn(line, "#")] = '\0';
	for (char *word = strtok_r(line, " \t\r", &rest); word && count < MOST_WORDS;
	     word = strtok_r(NULL, " \t\r", &rest))
		words[count++] = word;
	return count;
}

static int take_line(struct nnipc_seccomp_rules *rules, char *line, char *why, size_t size)
{
	char *words[MOST_WORDS];
	const size_t count = seccomp_profile_split(line, words);

	if (!count)
		return 0;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (!strcmp(words[0], lines[i].word) && count == lines[i].words)
			return lines[i].take(rules, words, why, size);
	return nnutil_refuse(
		why, size, -EINVAL,
		"expected \"syscall NAME\", \"ioctl NUMBER\", \"errno NAME ERROR\", "
		"\"read PATH\", \"write PATH\", \"device PATH\" or \"device PATTERN DRIVER\"");
}

int nnipc_parse_profile(struct nnipc_seccomp_rules *rules, const char *path, char *text,
			char *message, size_t size)
{
	unsigned int number = 0;
	char why[224] = "";
	int error = 0;

	for (char *line = text; line && !error;) {
		char *end = strchr(line, '\n');

		if (end)
			*end++ = '\0';
		number++;
		error = take_line(rules, line, why, sizeof(why));
		line = end;
	}
	if (!error)
		return 0;
	return nnutil_refuse(message, size, error, "sandbox profile %s, line %u: %s", path, number,
			     why[0] ? why : strerror(-error));
}

int nnipc_take_profile(struct nnipc_seccomp_rules *rules, const struct nnipc_profile *profile,
		       char *message, size_t size)
{
	char *text = strdup(profile->text);
	int error;

	if (!text)
		return nnutil_refuse(message, size, -ENOMEM, "out of memory");
	error = nnipc_parse_profile(rules, profile->path, text, message, size);
	free(text);
	return error;
}

int nnipc_profile_read(struct nnipc_profile *profile, const char *path, char *message, size_t size)
{
	size_t length;
	int error;

	*profile = (struct nnipc_profile){ .path = path };
	error = nnutil_read_file(path, MOST_BYTES, &profile->text, &length);
	if (error)
		return nnutil_refuse(message, size, -EINVAL, "sandbox profile %s: %s", path,
				     strerror(-error));
	if (!memchr(profile->text, '\0', length))
		return 0;
	free(profile->text);
	profile->text = NULL;
	return nnutil_refuse(message, size, -EINVAL, "sandbox profile %s: it is no text", path);
}
