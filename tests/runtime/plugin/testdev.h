/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libnnhal-testdev.so: devices for the tests of the runtime. Each wraps the in-process "cpu"
 * device, or another; it computes for real, and reports, refuses and delays as its description
 * says.
 *
 * NNHAL_TEST_DEVICES is a list of descriptions separated by spaces, read anew by every
 * enumeration; each is key=value joined by commas:
 *
 * name=NAME             instance name (default testdev)
 * inner=SPEC            the wrapped device, as for nnhal_open() (default cpu)
 * version=TEXT          (default 1); version=@FILE: the content of FILE at open
 * type=T                accelerator (default), gpu, cpu, other, or a number
 * level=N               NNAPI feature level 1 to 99: below 8 through nnhal_view_create(), above 8
 *                       the reported number alone
 * ops=ADD+MUL           supported operations, main's and those of referenced models (default:
 *                       all), beside those of the extensions that it reports
 * exec=F power=F        performance of everything; exec.TYPE=F power.TYPE=F of one: an operand
 *                       type (TENSOR_FLOAT32), RELAXED_SCALAR, RELAXED_TENSOR, IF, WHILE. Later
 *                       ones win. There is no calibration: the default is 1.0.
 * cache=M:D             numbers of model and data cache files (default 0:0); the model is kept in
 *                       the first of them and the token in the others. cache=inner: those of the
 *                       wrapped device.
 * ext=NAME+NAME         extensions that it reports, each perhaps with operand types:
 *                       NAME/0:t4/1:s8 (number, t tensor or s scalar, bytes of an element)
 * fail=METHOD:STATUS    a method fails so, fail=METHOD:STATUS:N only the first N times; may be
 *                       repeated. Methods: capabilities extensions cache_files supported prepare
 *                       cache (prepare_model_from_cache) execute (synchronous, with a callback,
 *                       on bursts and reusable) fenced burst (configure_burst) reusable
 *                       (create_reusable_execution) allocate memory (create_memory). STATUS as in
 *                       enum nnhal_status, without NNHAL_.
 * claims=1              reports every operation of ops= as supported, also those that it cannot
 *                       prepare then
 * wrong=OPERATION       computes it as another one: ADD as SUB, MAX_POOL_2D as AVERAGE_POOL_2D and
 *                       the other way round
 * apart=ADD+MUL         cannot prepare a model that has all of these operations
 * fence=1               fenced executions return at once with a fence (fence.c); fail=execute: is
 *                       their end
 * kernel_fences=1       refuses in-fences that are no sync_files
 * delay_ms=N            executions take that much longer
 * prepare_meet=N        preparations last until N of them have begun, which FILE of count= tells;
 *                       the line "NAME prepare_alone" when that is not so in 20,000 looks
 * count=FILE            a line "NAME METHOD key=value ..." is appended for each call of the HAL
 * node=PATH             the node in get_info()
 * gone=FILE             while FILE exists the device is absent, and an open one is lost for good
 *
 * A malformed description is reported on stderr and not enumerated.
 */
#ifndef TESTDEV_H
#define TESTDEV_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "nnhal.h"

#define TESTDEV_MAX_FAILS 16
#define TESTDEV_MAX_EXTENSIONS 16
#define TESTDEV_MAX_TYPES 8

enum testdev_method {
	TESTDEV_CAPABILITIES,
	TESTDEV_EXTENSIONS,
	TESTDEV_CACHE_FILES,
	TESTDEV_SUPPORTED,
	TESTDEV_PREPARE,
	TESTDEV_CACHE,
	TESTDEV_EXECUTE,
	TESTDEV_FENCED,
	TESTDEV_BURST,
	TESTDEV_REUSABLE,
	TESTDEV_ALLOCATE,
	TESTDEV_MEMORY,
	TESTDEV_METHODS
};

/** A description, read. Counted: the device and all that came from it hold it. */
struct testdev_config {
	atomic_uint refs;
	char *text; /* keeps the strings below */
	char version_text[64]; /* of a file */
	const char *name, *inner, *node, *version, *count_file, *gone_file;
	atomic_int count_fd; /* kept: a worker opens no file later; 0: not open */
	int type;
	uint32_t level;
	bool all_operations;
	bool operations[NNMODEL_OPCODE_COUNT];
	bool has_apart, apart[NNMODEL_OPCODE_COUNT];
	uint32_t wrong; /* an operation that it computes as another one; UINT32_MAX: none */
	struct nnhal_capabilities capabilities;
	bool inner_cache;
	uint32_t num_model_cache, num_data_cache;
	struct nnhal_extension extensions[TESTDEV_MAX_EXTENSIONS];
	struct nnhal_extension_type types[TESTDEV_MAX_EXTENSIONS][TESTDEV_MAX_TYPES];
	uint32_t num_extensions;
	struct {
		enum testdev_method method;
		enum nnhal_status status;
		atomic_int left; /* < 0: always */
	} fails[TESTDEV_MAX_FAILS];
	uint32_t num_fails;
	uint32_t delay_ms, prepare_meet, fence, kernel_fences, claims;
};

/** One description, without spaces. NULL: malformed (reported on stderr) or out of memory. */
struct testdev_config *testdev_config_parse(const char *text);
struct testdev_config *testdev_config_get(struct testdev_config *config);
void testdev_config_put(struct testdev_config *config);
/** What wrong= makes of an operation; UINT32_MAX: it is not possible. */
uint32_t testdev_wrong_operation(uint32_t operation);
/** Whether the method is to fail now: *@status. */
bool testdev_fails(struct testdev_config *config, enum testdev_method method,
		   enum nnhal_status *status);
/** Whether the file that takes the device away exists. */
bool testdev_gone(const struct testdev_config *config);
/** A line for count=; @fmt: the text behind the device's name. */
void testdev_count(struct testdev_config *config, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void testdev_sleep(uint32_t ms);
/** End of a preparation: wait for as many as prepare_meet= says. False: they did not come. */
bool testdev_meet(struct testdev_config *config);

/** A connection to a device: lost for good once it has been seen gone. Counted. */
struct testdev_link {
	atomic_uint refs;
	atomic_bool lost;
	struct testdev_config *config;
	struct nnhal_device *below; /* the device behind a view; NULL: no view */
};
struct testdev_link *testdev_link_get(struct testdev_link *link);
void testdev_link_put(struct testdev_link *link);
bool testdev_lost(struct testdev_link *link);

/**
 * Takes @inner, @below (NULL: @inner is no view) and a reference of @config over on success. 0,
 * -ENOMEM.
 */
int testdev_create(struct nnhal_device *inner, struct nnhal_device *below,
		   struct testdev_config *config, struct nnhal_device **dev);
/** Takes @inner over on success; NULL: out of memory. */
struct nnhal_prepared_model *testdev_prepared_create(struct nnhal_prepared_model *inner,
						     struct testdev_link *link);
struct nnhal_prepared_model *testdev_prepared_inner(struct nnhal_prepared_model *model);

/** fence=1: as execute_fenced(). @inner must outlive the execution. */
enum nnhal_status testdev_fenced(struct testdev_link *link, struct nnhal_prepared_model *inner,
				 const struct nnhal_request *request, const int *wait_for,
				 uint32_t num_wait_for, const struct nnhal_execution_config *config,
				 int64_t deadline_ns, int *sync_fence,
				 struct nnhal_fenced_callback **callback);

#endif
