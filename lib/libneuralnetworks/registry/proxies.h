/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices behind other processes, when the key "isolation" asks for them: libnnipc has them, which
 * is a vendor library itself. It is loaded when it is needed.
 */
#ifndef NNR_PROXIES_H
#define NNR_PROXIES_H

#include "nnhal.h"

struct nnr_proxies {
	const struct nnhal_driver *driver;
	/** nnipc_enumerate() of nnipc.h */
	int (*enumerate)(const char *target, int (*found)(void *cookie, const char *spec),
			 void *cookie, char *message, size_t size);
};
/**
 * NULL: there is no libnnipc (logged once). Vendor libraries are not loaded into the process then:
 * who asks for isolation does not get less of it than he thinks.
 */
const struct nnr_proxies *nnr_proxies(void);
/** The target of a vendor library in a worker, malloc'ed. NULL: it cannot be one (logged). */
char *nnr_worker_target(const char *path);

#endif
