/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which processes may use vendor extensions (Documentation/allowlist.rst). It guards against
 * accidents, not against malice: a library inside the process decides about that process.
 */
#ifndef NNR_ALLOWLIST_H
#define NNR_ALLOWLIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Binaries of processes that are Android applications. */
#define NNR_APP_PROCESS64 "/system/bin/app_process64"
#define NNR_APP_PROCESS32 "/system/bin/app_process32"

/** A process. */
struct nnr_identity {
	const char *binary; /* absolute path; "": unknown */
	const char *application; /* name, of applications only; else NULL */
	bool system_app, on_vendor_image, on_product_image;
};

struct nnr_allowlist {
	const char *const *entries; /* valid ones: paths and application names */
	uint32_t num_entries;
	const char *partitions; /* folders where binaries may be, separated by blanks; "/product"
				 * counts only with @product_enabled */
	bool product_enabled;
	/* processes that may be listed need no entry (Android from API level 31 on, hosts) */
	bool unlisted_allowed;
	bool debuggable; /* tests of the system may run without an entry */
};

/** Decide without state and files. *@why (may be NULL): static text. */
bool nnr_allowlist_decide(const struct nnr_identity *who, const struct nnr_allowlist *list,
			  const char **why);
/** Append the entries of a file's text. Malformed lines are logged and ignored. 0 or -ENOMEM. */
int nnr_allowlist_parse(const char *file, char *text, size_t size, const char ***entries,
			uint32_t *num_entries);
/** Whether this process may use extensions; decided once. For models: nnr_model_may_extend(). */
bool nnr_extensions_allowed(void);

#endif
