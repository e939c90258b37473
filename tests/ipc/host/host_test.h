/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the tests of libnnipc's host side: connections to the fake worker. */
#ifndef HOST_TEST_H
#define HOST_TEST_H

#include <stdbool.h>

#include "host/nnipc_host.h"
#include "test_case.h"

/** For each test: nothing of it may be left, descriptors, processes and threads that hold them. */
int host_setup(void **state);
int host_teardown(void **state);
#define HOST_TEST(test) cmocka_unit_test_setup_teardown(test, host_setup, host_teardown)

/** Environment of all tests; first. @worker: the program. */
void host_init(const char *worker);
/** "worker=FOLDER/MANNER:SPEC"; a static text. The folder is this process's own. */
const char *host_spec(const char *manner, const char *spec);
/** Makes the file "once" there. */
void host_make_once(void);

/** Opens @manner; the death is counted. */
struct nnipc_connection *host_open(const char *manner);
extern _Atomic unsigned int host_deaths;

/** Calls @method on a lane of its own, with one u32. What nnipc_call() returns. */
int host_call(struct nnipc_connection *c, uint32_t method, uint32_t argument);
/** The same, and a u32 of the reply; the call must succeed. */
uint32_t host_ask(struct nnipc_connection *c, uint32_t method);
/** Has the worker send @times notifications with @size bytes. What nnipc_call() returns. */
int host_notify(struct nnipc_connection *c, uint32_t method, uint64_t callback, uint32_t times,
		const void *bytes, size_t size);

#endif
