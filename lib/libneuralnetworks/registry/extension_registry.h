/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vendor extensions of the process: what devices report, and the prefixes that names get at their
 * first use. Nothing is ever removed, so what a lookup returns stays valid. Any thread.
 */
#ifndef NNR_EXTENSION_REGISTRY_H
#define NNR_EXTENSION_REGISTRY_H

#include "nnhal.h"
#include "nnmodel.h"

#include "base/ndk.h"

/** An extension as a device reports it; types sorted by number. */
struct nnr_extension_report {
	char *name;
	struct nnhal_extension_type *types;
	uint32_t num_types;
};
/** Copy @ext, sorted. 0; -EINVAL: invalid name, or a type number twice; -ENOMEM. */
int nnr_extension_report_copy(const struct nnhal_extension *ext,
			      struct nnr_extension_report *report);
void nnr_extension_report_clear(struct nnr_extension_report *report);
bool nnr_extension_report_same(const struct nnr_extension_report *a,
			       const struct nnr_extension_report *b);
/**
 * A listed device reports it. A report that differs from an earlier one disables the extension.
 */
int nnr_extension_register(const struct nnr_extension_report *report);

struct nnr_extension_type_info {
	bool is_tensor;
	uint32_t byte_size;
};
/** The prefix of @name, assigned at the first use. Result code. */
int nnr_extension_prefix(const char *name, uint16_t *prefix);
/** The name of an assigned prefix. NULL: not assigned (0 never is). */
const char *nnr_extension_name(uint16_t prefix);
/** nnr_extension_registered() and nnr_extension_type() of registry.h, of devices listed so far. */
bool nnr_extension_known(const char *name);
bool nnr_extension_type_known(uint32_t type, struct nnr_extension_type_info *info);

static inline bool nnr_is_extension(uint32_t type)
{
	return type > NNMODEL_TYPE_BASE_MAX;
}

#endif
