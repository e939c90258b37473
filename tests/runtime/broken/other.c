// SPDX-License-Identifier: Apache-2.0
/*
 * Invalid vendor libraries: of another ABI version, or without an entry point (OTHER_VERSION
 * unset).
 */
#include "nnhal.h"

#ifdef OTHER_VERSION
static int enumerate(int (*found)(void *cookie, const char *spec), void *cookie)
{
	return found(cookie, "cpu");
}

static int open_spec(const char *spec, struct nnhal_device **dev, char *message, size_t size)
{
	return nnhal_open(spec, dev, message, size);
}

__attribute__((visibility("default"))) const struct nnhal_driver nnhal_driver = {
	.abi_version = OTHER_VERSION,
	.size = OTHER_SIZE,
	.name = "other",
	.enumerate = enumerate,
	.open = open_spec,
};
#else
/* It depends on a library that has an entry. */
int nnhal_no_entry(void);
__attribute__((visibility("default"))) int nnhal_no_entry(void)
{
	return nnhal_status_result_code(NNHAL_NONE);
}
#endif
