// SPDX-License-Identifier: Apache-2.0
/*
 * Vendor extensions of the process: what devices report, and the prefixes that names get when they
 * are first used. Nothing is ever forgotten, so what a lookup gives stays valid; a prefix is never
 * used again.
 */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "registry.h"
#include "sized.h"

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

/* With the lock. NULL: out of memory; the name is copied. */
static struct extension *get(const char *name)
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

static bool types_differ(const struct extension *ext, const struct nnr_extension_report *report)
{
	if (ext->num_types != report->num_types)
		return true;
	for (uint32_t i = 0; i < ext->num_types; i++)
		if (ext->types[i].type != report->types[i].type ||
		    ext->types[i].is_tensor != report->types[i].is_tensor ||
		    ext->types[i].byte_size != report->types[i].byte_size)
			return true;
	return false;
}

/* With the lock. */
static int register_locked(const struct nnr_extension_report *report)
{
	struct extension *ext = get(report->name);

	if (!ext)
		return -ENOMEM;
	if (ext->disabled)
		return -EEXIST;
	if (ext->registered) {
		if (!types_differ(ext, report))
			return 0;
		nnr_log(NNR_LOG_ERROR,
			"extension %s: devices differ on its types, so it is disabled", ext->name);
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

void nnr_extensions_fork(bool before)
{
	/* held around the fork, so that the child's table is whole */
	if (before)
		pthread_mutex_lock(&lock);
	else
		pthread_mutex_unlock(&lock);
}

int nnr_extension_register(const struct nnr_extension_report *report)
{
	int ret;

	pthread_mutex_lock(&lock);
	ret = register_locked(report);
	pthread_mutex_unlock(&lock);
	return ret;
}

/* With the lock. Result code. */
static int assign_prefix(struct extension *ext)
{
	struct extension **list;

	if (num_prefixes == MAX_PREFIX) {
		nnr_log(NNR_LOG_ERROR, "extension %s: there are %u others already", ext->name,
			num_prefixes);
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
	ext = get(name);
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

bool nnr_extension_registered(const char *name)
{
	struct extension key = { .name = (char *)name }, *const * node;
	bool registered;

	nnr_devices_listed(); /* whose reports count */
	pthread_mutex_lock(&lock);
	node = tfind(&key, &by_name, compare_names);
	registered = node && (*node)->registered;
	pthread_mutex_unlock(&lock);
	return registered;
}

bool nnr_extension_type(uint32_t type, struct nnr_extension_type_info *info)
{
	struct nnhal_extension_type key = { .type = (uint16_t)type };
	const struct nnhal_extension_type *found = NULL;
	uint32_t prefix = type >> 16;

	nnr_devices_listed();
	pthread_mutex_lock(&lock);
	if (prefix && prefix <= num_prefixes && by_prefix[prefix - 1]->registered)
		found = bsearch(&key, by_prefix[prefix - 1]->types,
				by_prefix[prefix - 1]->num_types, sizeof(key), compare_types);
	if (found && info)
		*info = (struct nnr_extension_type_info){ found->is_tensor, found->byte_size };
	pthread_mutex_unlock(&lock);
	return found != NULL;
}

/* ---- the API ---- */

int ANeuralNetworksDevice_getExtensionSupport(const ANeuralNetworksDevice *device,
					      const char *extensionName, bool *isExtensionSupported)
{
	if (!device || !extensionName || !isExtensionSupported) {
		nnr_log(NNR_LOG_WARNING,
			"ANeuralNetworksDevice_getExtensionSupport: a pointer is missing");
		return ANEURALNETWORKS_UNEXPECTED_NULL;
	}
	*isExtensionSupported = false;
	for (uint32_t i = 0; i < device->num_extensions && !*isExtensionSupported; i++)
		*isExtensionSupported = !strcmp(device->extensions[i], extensionName);
	return ANEURALNETWORKS_NO_ERROR;
}

/* Operand types and operations are numbered alike. */
static int encode(const char *function, const void *model, const char *name, uint16_t code,
		  int32_t *type)
{
	uint16_t prefix;
	int result;

	if (!model || !name || !type) {
		nnr_log(NNR_LOG_WARNING, "%s: a pointer is missing", function);
		return ANEURALNETWORKS_UNEXPECTED_NULL;
	}
	result = nnr_extension_prefix(name, &prefix);
	if (result == ANEURALNETWORKS_NO_ERROR)
		*type = (int32_t)((uint32_t)prefix << 16 | code);
	return result;
}

int ANeuralNetworksModel_getExtensionOperandType(ANeuralNetworksModel *model,
						 const char *extensionName,
						 uint16_t operandCodeWithinExtension, int32_t *type)
{
	NNTRACE_RT(NNTRACE_PHASE_PREPARATION, "ANeuralNetworksModel_getExtensionOperandType");

	return encode("ANeuralNetworksModel_getExtensionOperandType", model, extensionName,
		      operandCodeWithinExtension, type);
}

int ANeuralNetworksModel_getExtensionOperationType(ANeuralNetworksModel *model,
						   const char *extensionName,
						   uint16_t operationCodeWithinExtension,
						   ANeuralNetworksOperationType *type)
{
	NNTRACE_RT(NNTRACE_PHASE_PREPARATION, "ANeuralNetworksModel_getExtensionOperationType");

	return encode("ANeuralNetworksModel_getExtensionOperationType", model, extensionName,
		      operationCodeWithinExtension, type);
}
