// SPDX-License-Identifier: Apache-2.0
/* Loading the vendor library of a worker. */
#include "worker/nnipc_worker.h"

#include <dlfcn.h>
#include <errno.h>

#include "nnutil_library.h"
#include "nnutil_log.h"

const struct nnhal_driver *nnipc_vendor_driver(const char *path, char *message, size_t size)
{
	const struct nnhal_driver *driver;
	void *handle;

	/* all symbols now: after the sandbox has closed, nothing can be loaded */
	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		nnutil_refuse(message, size, -ENOENT, "cannot load vendor library %s: %s", path,
			      dlerror());
		return NULL;
	}
	driver = nnutil_library_own(handle, "nnhal_driver");
	if (!driver) {
		nnutil_refuse(message, size, -EINVAL,
			      "%s is not a vendor library: it does not define nnhal_driver", path);
	} else if (driver->abi_version != NNHAL_ABI_VERSION) {
		nnutil_refuse(message, size, -EINVAL,
			      "vendor library %s has nnhal ABI version %u, this worker needs %u: "
			      "install a matching version",
			      path, driver->abi_version, NNHAL_ABI_VERSION);
	} else if (driver->size < sizeof(*driver) || !driver->name || !driver->enumerate ||
		   !driver->open) {
		nnutil_refuse(message, size, -EINVAL,
			      "vendor library %s has an incomplete nnhal_driver table", path);
	} else {
		return driver;
	}
	dlclose(handle);
	return NULL;
}
