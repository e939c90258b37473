// SPDX-License-Identifier: Apache-2.0
#include "wire/nnipc_wire.h"

#include <pwd.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "nnutil_file.h"
#include "nnutil_text.h"

/* More is no file that anybody has written. */
#define LARGEST_FILE (1u << 20)

struct nnipc_subordinate_range {
	uid_t owner;
	uint64_t first, count;
};

static bool owner_of(const char *text, uid_t *owner)
{
	const struct passwd *found = getpwnam(text);
	uint64_t number;

	if (!found && nnutil_parse_u64(text, 10, 0, UINT32_MAX - 1, &number))
		return false;
	*owner = found ? found->pw_uid : (uid_t)number;
	return true;
}

/* OWNER:FIRST:COUNT, which is cut into pieces. */
static bool range_parse(char *line, struct nnipc_subordinate_range *range)
{
	char *first = strchr(line, ':'), *count = first ? strchr(first + 1, ':') : NULL;

	if (!count)
		return false;
	*first = *count = '\0';
	return !nnutil_parse_u64(first + 1, 10, 1, UINT32_MAX - 1, &range->first) &&
	       !nnutil_parse_u64(count + 1, 10, 1, UINT32_MAX, &range->count) &&
	       owner_of(line, &range->owner);
}

static void ranges_add(struct nnipc_subordinates *s, char *line)
{
	struct nnipc_subordinate_range range, *larger;

	if (!range_parse(line, &range))
		return;
	larger = reallocarray(s->ranges, s->count + 1, sizeof(*larger));
	if (!larger)
		return;
	s->ranges = larger;
	s->ranges[s->count++] = range;
}

static void ranges_read(struct nnipc_subordinates *s)
{
	char *text, *next, *line;

	nnipc_subordinates_fini(s);
	if (nnutil_read_file(s->path, LARGEST_FILE, &text, NULL))
		return;
	for (line = strtok_r(text, "\n", &next); line; line = strtok_r(NULL, "\n", &next))
		ranges_add(s, line);
	free(text);
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

uid_t nnipc_subordinates_owner(struct nnipc_subordinates *s, uid_t user)
{
	struct stat now = { 0 };

	if (stat(s->path, &now))
		now = (struct stat){ 0 };
	if (!is_same(&now, &s->seen)) {
		ranges_read(s);
		s->seen = now;
	}
	for (size_t i = 0; i < s->count; i++)
		if (user >= s->ranges[i].first && user - s->ranges[i].first < s->ranges[i].count)
			return s->ranges[i].owner;
	return user;
}

void nnipc_subordinates_fini(struct nnipc_subordinates *s)
{
	free(s->ranges);
	s->ranges = NULL;
	s->count = 0;
}
