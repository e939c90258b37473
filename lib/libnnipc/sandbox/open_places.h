/* SPDX-License-Identifier: Apache-2.0 */
/* The files that a vendor library may open until the sandbox is locked: a list. */
#ifndef NNIPC_OPEN_PLACES_H
#define NNIPC_OPEN_PLACES_H

#include <stddef.h>

#include "sandbox/sandbox.h"

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

#endif
