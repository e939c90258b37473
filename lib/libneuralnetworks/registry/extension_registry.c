// SPDX-License-Identifier: Apache-2.0
/* Vendor extensions of the process. */
#include <errno.h>
#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "nnutil_log.h"
#include "nnmodel_common.h"

#include "base/nnr_base.h"
#include "registry/nnr_registry.h"

#define MAX_PREFIX UINT16_MAX

struct extension {
	char *name;
	uint16_t prefix; /* 0: not used yet */
	bool registered; /* a device reports it, and none reports it differently */
	bool disabled; /* reports differ: for the rest of the process */
	struct nnhal_extension_type *types; /* of the registered; sorted */
	uint32_t num_types;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all below */
static void *by_name; /* tree of struct extension */
static struct extension **by_prefix; /* [prefix - 1] */
static uint32_t num_prefixes, room;

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct extension *)a)->name, ((const struct extension *)b)->name);
}

static int compare_types(const void *a, const void *b)
{
	const struct nnhal_extension_type *x = a, *y = b;

	return (x->type > y->type) - (x->type < y->type);
}

static bool name_valid(const char *name)
{
	return name && strchr(name, '.') &&
	       !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_.")];
}

int nnr_extension_report_copy(const struct nnhal_extension *ext,
			      struct nnr_extension_report *report)
{
	static const struct nnmodel_sized sized = NNMODEL_SIZED(nnhal_extension, types, NULL);
	struct nnhal_extension older;

	*report = (struct nnr_extension_report){ 0 };
	ext = ext ? nnmodel_sized_get(&sized, ext, &older) : NULL;
	if (!ext || !name_valid(ext->name) || (ext->num_types && !ext->types) ||
	    ext->num_types > UINT16_MAX + 1u)
		return -EINVAL;
	report->name = strdup(ext->name);
	report->types = malloc((ext->num_types ? ext->num_types : 1) * sizeof(*report->types));
	if (!report->name || !report->types) {
		nnr_extension_report_clear(report);
		return -ENOMEM;
	}
	report->num_types = ext->num_types;
	if (ext->num_types)
		memcpy(report->types, ext->types, ext->num_types * sizeof(*report->types));
	qsort(report->types, report->num_types, sizeof(*report->types), compare_types);
	for (uint32_t i = 1; i < report->num_types; i++)
		if (report->types[i].type == report->types[i - 1].type) {
			nnr_extension_report_clear(report);
			return -EINVAL;
		}
	return 0;
}

void nnr_extension_report_clear(struct nnr_extension_report *report)
{
	free(report->name);
	free(report->types);
	*report = (struct nnr_extension_report){ 0 };
}

bool nnr_extension_report_same(const struct nnr_extension_report *a,
			       const struct nnr_extension_report *b)
{
	if (strcmp(a->name, b->name) || a->num_types != b->num_types)
		return false;
	for (uint32_t i = 0; i < a->num_types; i++)
		if (a->types[i].type != b->types[i].type ||
		    a->types[i].is_tensor != b->types[i].is_tensor ||
		    a->types[i].byte_size != b->types[i].byte_size)
			return false;
	return true;
}

/* Under the lock. @name is copied. NULL: out of memory. */
static struct extension *extension_registry_get(const char *name)
{
	struct extension key = { .name = (char *)name }, *ext;
	struct extension *const *node = tfind(&key, &by_name, compare_names);

	if (node)
		return *node;
	ext = calloc(1, sizeof(*ext));
	if (!ext)
		return NULL;
	ext->name = strdup(name);
	if (!ext->name || !tsearch(ext, &by_name, compare_names)) {
		free(ext->name);
		free(ext);
		return NULL;
	}
	return ext;
}

/* Under the lock. */
static int register_locked(const struct nnr_extension_report *report)
{
	struct extension *ext = extension_registry_get(report->name);
	struct nnr_extension_report known;

	if (!ext)
		return -ENOMEM;
	known = (struct nnr_extension_report){ ext->name, ext->types, ext->num_types };
	if (ext->disabled)
		return -EEXIST;
	if (ext->registered) {
		if (nnr_extension_report_same(&known, report))
			return 0;
		nnutil_log(NNUTIL_LOG_ERROR,
			   "extension %s disabled: devices report different types", ext->name);
		ext->registered = false;
		ext->disabled = true;
		return -EEXIST;
	}
	ext->types = malloc((report->num_types ? report->num_types : 1) * sizeof(*ext->types));
	if (!ext->types)
		return -ENOMEM;
	if (report->num_types)
		memcpy(ext->types, report->types, report->num_types * sizeof(*ext->types));
	ext->num_types = report->num_types;
	ext->registered = true;
	return 0;
}

/* Held around a fork, so that the child's table is complete. */
static void take_lock(void)
{
	pthread_mutex_lock(&lock);
}

static void release_lock(void)
{
	pthread_mutex_unlock(&lock);
}

NNR_FORK_HANDLERS(.before = take_lock, .parent = release_lock, .child = release_lock);

int nnr_extension_register(const struct nnr_extension_report *report)
{
	int ret;

	pthread_mutex_lock(&lock);
	ret = register_locked(report);
	pthread_mutex_unlock(&lock);
	return ret;
}

/* Under the lock. Result code. */
static int assign_prefix(struct extension *ext)
{
	struct extension **list;

	if (num_prefixes == MAX_PREFIX) {
		nnutil_log(NNUTIL_LOG_ERROR, "extension %s refused: all %u prefixes are assigned",
			   ext->name, num_prefixes);
		return ANEURALNETWORKS_BAD_DATA;
	}
	if (num_prefixes == room) {
		list = realloc(by_prefix, (room ? 2 * room : 16) * sizeof(*list));
		if (!list)
			return ANEURALNETWORKS_OUT_OF_MEMORY;
		by_prefix = list;
		room = room ? 2 * room : 16;
	}
	by_prefix[num_prefixes] = ext;
	ext->prefix = (uint16_t)++num_prefixes;
	return ANEURALNETWORKS_NO_ERROR;
}

int nnr_extension_prefix(const char *name, uint16_t *prefix)
{
	int result = ANEURALNETWORKS_NO_ERROR;
	struct extension *ext;

	pthread_mutex_lock(&lock);
	ext = extension_registry_get(name);
	if (!ext)
		result = ANEURALNETWORKS_OUT_OF_MEMORY;
	else if (!ext->prefix)
		result = assign_prefix(ext);
	if (result == ANEURALNETWORKS_NO_ERROR)
		*prefix = ext->prefix;
	pthread_mutex_unlock(&lock);
	return result;
}

const char *nnr_extension_name(uint16_t prefix)
{
	const char *name;

	pthread_mutex_lock(&lock);
	name = prefix && prefix <= num_prefixes ? by_prefix[prefix - 1]->name : NULL;
	pthread_mutex_unlock(&lock);
	return name;
}

bool nnr_extension_known(const char *name)
{
	struct extension key = { .name = (char *)name }, *const * node;
	bool registered;

	pthread_mutex_lock(&lock);
	node = tfind(&key, &by_name, compare_names);
	registered = node && (*node)->registered;
	pthread_mutex_unlock(&lock);
	return registered;
}

bool nnr_extension_type_known(uint32_t type, struct nnr_extension_type_info *info)
{
	struct nnhal_extension_type key = { .type = (uint16_t)type };
	const struct nnhal_extension_type *found = NULL;
	uint32_t prefix = type >> 16;

	pthread_mutex_lock(&lock);
	if (prefix && prefix <= num_prefixes && by_prefix[prefix - 1]->registered)
		found = bsearch(&key, by_prefix[prefix - 1]->types,
				by_prefix[prefix - 1]->num_types, sizeof(key), compare_types);
	if (found && info)
		*info = (struct nnr_extension_type_info){ found->is_tensor, found->byte_size };
	pthread_mutex_unlock(&lock);
	return found != NULL;
}
