// SPDX-License-Identifier: Apache-2.0
#include "sandbox/sandbox_private.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Nothing in a user's home, and of other processes nothing. */
static const struct nnipc_place system_places[] = {
	/* libraries, and what they have in files */
	{ "/lib", NNIPC_USE_READ },
	{ "/lib32", NNIPC_USE_READ },
	{ "/lib64", NNIPC_USE_READ },
	{ "/usr/lib", NNIPC_USE_READ },
	{ "/usr/lib32", NNIPC_USE_READ },
	{ "/usr/lib64", NNIPC_USE_READ },
	{ "/usr/local/lib", NNIPC_USE_READ },
	{ "/usr/local/lib64", NNIPC_USE_READ },
	{ "/usr/share", NNIPC_USE_READ },
	{ "/nix/store", NNIPC_USE_READ },
	{ "/gnu/store", NNIPC_USE_READ },
	{ "/etc/ld.so.cache", NNIPC_USE_READ },
	{ "/etc/ld.so.preload", NNIPC_USE_READ },
	{ "/etc/localtime", NNIPC_USE_READ },
	/* the machine and its devices */
	{ "/sys", NNIPC_USE_READ },
	{ "/etc/udev", NNIPC_USE_READ },
	{ "/run/udev", NNIPC_USE_READ },
	{ "/proc/cpuinfo", NNIPC_USE_READ },
	{ "/proc/devices", NNIPC_USE_READ },
	{ "/proc/filesystems", NNIPC_USE_READ },
	{ "/proc/meminfo", NNIPC_USE_READ },
	{ "/proc/stat", NNIPC_USE_READ },
	{ "/proc/sys", NNIPC_USE_READ },
	{ "/proc/version", NNIPC_USE_READ },
	{ "/dev/null", NNIPC_USE_DEVICE },
	{ "/dev/zero", NNIPC_USE_DEVICE },
	{ "/dev/random", NNIPC_USE_READ },
	{ "/dev/urandom", NNIPC_USE_READ },
	/* itself; the program is read for the names in a trace of its stack */
	{ "/proc/self", NNIPC_USE_READ },
	{ "/proc/self/exe", NNIPC_USE_READ },
};

/* @base, which has @length characters, and @rest. */
static int open_places_add(struct nnipc_open_places *places, const char *base, size_t length,
			   const char *rest, enum nnipc_use use)
{
	struct nnipc_place *more = places->entries;
	char *path;

	if (places->count == places->room) {
		const size_t room = places->room ? 2 * places->room : 64;

		more = reallocarray(more, room, sizeof(*more));
		if (!more)
			return -ENOMEM;
		places->entries = more;
		places->room = room;
	}
	if (asprintf(&path, "%.*s%s", (int)length, base, rest) < 0)
		return -ENOMEM;
	more[places->count++] = (struct nnipc_place){ .path = path, .use = use };
	return 0;
}

/* The folder of a file's @name. */
static int add_folder(struct nnipc_open_places *places, const char *name, const char *rest,
		      enum nnipc_use use)
{
	const char *slash = strrchr(name, '/');

	return name[0] == '/' ? open_places_add(places, name, (size_t)(slash - name), rest, use)
			      : 0;
}

static int add_origin(struct nnipc_open_places *places, const char *rest, enum nnipc_use use)
{
	char file[PATH_MAX];
	int error;

	if (!places->library)
		return 0;
	error = add_folder(places, places->library, rest, use);
	if (!error && realpath(places->library, file))
		error = add_folder(places, file, rest, use);
	return error;
}

/* A path goes on with "/", or ends. */
static bool is_end(char c)
{
	return c == '/' || !c;
}

int nnipc_open_place(struct nnipc_open_places *places, const char *path, enum nnipc_use use)
{
	char name[64];
	const char *value;
	size_t length;

	if (path[0] == '/')
		return open_places_add(places, path, strlen(path), "", use);
	if (path[0] != '$')
		return -EINVAL;
	path++;
	for (length = 0; isalnum((unsigned char)path[length]) || path[length] == '_';)
		length++;
	if (!length || length >= sizeof(name) || !is_end(path[length]))
		return -EINVAL;
	snprintf(name, sizeof(name), "%.*s", (int)length, path);
	path += length;
	if (!strcmp(name, "ORIGIN"))
		return add_origin(places, path, use);
	value = getenv(name);
	return value && value[0] == '/' ? open_places_add(places, value, strlen(value), path, use)
					: 0;
}

/* Whether a folder may be one with other things than libraries in it. */
static bool is_mixed(const char *folder)
{
	const char *home = getenv("HOME");
	const size_t length = strlen(folder);
	struct stat facts;

	return (home && !strncmp(home, folder, length) && is_end(home[length])) ||
	       stat(folder, &facts) || facts.st_mode & S_IWOTH;
}

/* The library that is a file's @name, with those beside it. */
static int open_library(struct nnipc_open_places *places, const char *name)
{
	char folder[PATH_MAX];
	const char *slash = strrchr(name, '/');

	if (name[0] != '/' || strlen(name) >= sizeof(folder))
		return 0;
	snprintf(folder, sizeof(folder), "%.*s", (int)(slash - name), name);
	return nnipc_open_place(places, is_mixed(folder) ? name : folder, NNIPC_USE_READ);
}

int nnipc_open_system(struct nnipc_open_places *places)
{
	char file[PATH_MAX];
	int error = 0;

	if (places->library)
		error = open_library(places, places->library);
	if (!error && places->library && realpath(places->library, file))
		error = open_library(places, file);
	for (size_t i = 0; i < sizeof(system_places) / sizeof(system_places[0]) && !error; i++)
		error = nnipc_open_place(places, system_places[i].path, system_places[i].use);
	return error;
}

void nnipc_open_places_fini(struct nnipc_open_places *places)
{
	for (size_t i = 0; i < places->count; i++)
		free((char *)places->entries[i].path);
	free(places->entries);
	*places = (struct nnipc_open_places){ .library = places->library };
}
