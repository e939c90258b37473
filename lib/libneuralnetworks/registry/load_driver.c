// SPDX-License-Identifier: Apache-2.0
/* Loading one vendor library into the process. */
#include <dlfcn.h>

#include "nnutil_library.h"
#include "nnutil_log.h"

#include "base/nnr_base.h"
#include "registry/nnr_registry.h"

/* If the settings do: for libraries that have the function of nnhal.h. */
static void forbid_amx(void *handle)
{
	void (*use_amx)(bool use);

	if (nnr_settings()->amx)
		return;
	*(void **)&use_amx = nnutil_library_own(handle, "nnhal_use_amx");
	if (use_amx)
		use_amx(false);
}

const struct nnhal_driver *nnr_driver_load(const char *path, void **handle)
{
	const struct nnhal_driver *driver;

	*handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!*handle) {
		nnutil_log(NNUTIL_LOG_ERROR, "cannot load vendor library %s: %s", path, dlerror());
		return NULL;
	}
	driver = nnutil_library_own(*handle, "nnhal_driver");
	if (!driver) {
		nnutil_log(NNUTIL_LOG_ERROR,
			   "%s is not a vendor library: it does not define nnhal_driver", path);
	} else if (driver->abi_version != NNHAL_ABI_VERSION) {
		nnutil_log(NNUTIL_LOG_ERROR,
			   "vendor library %s has nnhal ABI version %u, this runtime needs %u: "
			   "install a matching version",
			   path, driver->abi_version, NNHAL_ABI_VERSION);
	} else if (driver->size < sizeof(*driver) || !driver->name || !driver->enumerate ||
		   !driver->open) {
		nnutil_log(NNUTIL_LOG_ERROR,
			   "vendor library %s has an incomplete nnhal_driver table", path);
	} else {
		forbid_amx(*handle);
		return driver;
	}
	dlclose(*handle);
	*handle = NULL;
	return NULL;
}
