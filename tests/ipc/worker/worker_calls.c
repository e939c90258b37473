// SPDX-License-Identifier: Apache-2.0
#include "worker_calls.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../hal/hal_test.h"
#include "wire/nnipc_wire.h"

static struct hal_call call;
static const struct nnhal_execution_config config = NNHAL_EXECUTION_CONFIG_INIT;
static uint64_t callbacks = 1000;

void calls_init(void)
{
	hal_call_add(&call, false);
}

void calls_lose_pools(void)
{
	call.request.pools = NULL;
}

void calls_fini(void)
{
	hal_call_fini(&call);
}

/* ---- the device ---- */

static void put_nothing(struct nnipc_writer *w, const struct objects *o)
{
	(void)w;
	(void)o;
}

static void put_supported(struct nnipc_writer *w, const struct objects *o)
{
	struct nnmodel *m = hal_model_two_outputs();

	(void)o;
	nnipc_put_device_get_supported_operations(w,
						  &(struct nnipc_device_get_supported_operations){
							  .with_reasons = true, .model = m });
	nnmodel_free(m);
}

static void put_prepare(struct nnipc_writer *w, const struct objects *o)
{
	struct nnhal_prepare_config prepare = NNHAL_PREPARE_CONFIG_INIT;
	struct nnmodel *m = hal_model_conv();

	(void)o;
	nnipc_put_device_prepare_model(
		w, &(struct nnipc_device_prepare_model){
			   .callback = ++callbacks, .config = &prepare, .model = m });
	nnmodel_free(m);
}

static void put_prepare_from_cache(struct nnipc_writer *w, const struct objects *o)
{
	static const uint8_t token[NNHAL_CACHE_TOKEN_SIZE] = { 1, 2, 3 };
	const int fds[] = { call.pools[0].memory.fd };

	(void)o;
	nnipc_put_device_prepare_model_from_cache(
		w, &(struct nnipc_device_prepare_model_from_cache){ .callback = ++callbacks,
								    .deadline_ns = NNHAL_NO_TIME,
								    .model_cache = fds,
								    .num_model_cache = 1,
								    .token = token });
}

static void put_allocate(struct nnipc_writer *w, const struct objects *o)
{
	const struct nnhal_buffer_role role = { .model_index = 0, .io_index = 0, .probability = 1 };
	const uint32_t dims[] = { 2, 2 };
	const struct nnhal_buffer_desc desc = { .size = sizeof(desc), .rank = 2, .dims = dims };

	nnipc_put_device_allocate(
		w, &(struct nnipc_device_allocate){ .desc = &desc,
						    .models = (const uint64_t[]){ o->oids[2] },
						    .num_models = 1,
						    .inputs = &role,
						    .num_inputs = 1 });
}

static void put_create_memory(struct nnipc_writer *w, const struct objects *o)
{
	(void)o;
	nnipc_put_u64(w, 4096);
}

/* ---- executions ---- */

static void put_execute(struct nnipc_writer *w, const struct objects *o)
{
	(void)o;
	nnipc_put_prepared_execute(w, &(struct nnipc_prepared_execute){ .callback = ++callbacks,
									.request = &call.request,
									.config = &config,
									.deadline_ns =
										NNHAL_NO_TIME });
}

static void put_execute_synchronously(struct nnipc_writer *w, const struct objects *o)
{
	(void)o;
	nnipc_put_prepared_execute_synchronously(
		w, &(struct nnipc_prepared_execute_synchronously){ .request = &call.request,
								   .config = &config,
								   .deadline_ns = NNHAL_NO_TIME });
}

static void put_execute_fenced(struct nnipc_writer *w, const struct objects *o)
{
	(void)o;
	nnipc_put_prepared_execute_fenced(
		w, &(struct nnipc_prepared_execute_fenced){ .request = &call.request,
							    .config = &config,
							    .deadline_ns = NNHAL_NO_TIME,
							    .duration_ns = NNHAL_NO_TIME });
}

static void put_configure_burst(struct nnipc_writer *w, const struct objects *o)
{
	struct nnipc_ring *ring;
	int ends[2], fd;

	(void)o;
	assert_int_equal(nnipc_socket_pair(ends), 0);
	nnipc_put_fd_owned(w, ends[1]);
	close(ends[0]);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(nnipc_ring_create(4096, &fd, &ring), 0);
		nnipc_put_fd_owned(w, fd);
		nnipc_ring_free(ring);
	}
}

static void put_create_reusable(struct nnipc_writer *w, const struct objects *o)
{
	(void)o;
	nnipc_put_prepared_create_reusable_execution(
		w, &(struct nnipc_prepared_create_reusable_execution){ .request = &call.request,
								       .config = &config });
}

static void put_burst_execute(struct nnipc_writer *w, const struct objects *o)
{
	(void)o;
	nnipc_put_burst_execute(
		w, &(struct nnipc_burst_execute){ .num_memories = 0,
						  .request = &call.request,
						  .slots = NULL,
						  .tokens = (const int64_t[]){ -1, -1 },
						  .num_tokens = 2,
						  .config = &config,
						  .deadline_ns = NNHAL_NO_TIME });
}

static void put_time(struct nnipc_writer *w, const struct objects *o)
{
	(void)o;
	nnipc_put_i64(w, NNHAL_NO_TIME);
}

static void put_reusable_fenced(struct nnipc_writer *w, const struct objects *o)
{
	(void)o;
	nnipc_put_execution_execute_fenced(
		w, &(struct nnipc_execution_execute_fenced){ .deadline_ns = NNHAL_NO_TIME,
							     .duration_ns = NNHAL_NO_TIME });
}

static void put_copy_to(struct nnipc_writer *w, const struct objects *o)
{
	struct nnhal_memory memory = call.pools[1].memory;

	(void)o;
	memory.size = 16;
	nnipc_put_buffer_copy_to(w, &(struct nnipc_buffer_copy_to){ .memory = &memory });
}

static void put_copy_from(struct nnipc_writer *w, const struct objects *o)
{
	const uint32_t dims[] = { 2, 2 };
	struct nnhal_memory memory = call.pools[0].memory;

	(void)o;
	memory.size = 16;
	nnipc_put_buffer_copy_from(
		w, &(struct nnipc_buffer_copy_from){ .memory = &memory, .dims = dims, .rank = 2 });
}

const struct method methods[] = {
	{ NNIPC_DEVICE_GET_CAPABILITIES, put_nothing },
	{ NNIPC_DEVICE_GET_NUMBER_OF_CACHE_FILES, put_nothing },
	{ NNIPC_DEVICE_GET_SUPPORTED_OPERATIONS, put_supported },
	{ NNIPC_DEVICE_PREPARE_MODEL, put_prepare },
	{ NNIPC_DEVICE_GET_STATUS, put_nothing },
	{ NNIPC_DEVICE_GET_SUPPORTED_EXTENSIONS, put_nothing },
	{ NNIPC_DEVICE_PREPARE_MODEL_FROM_CACHE, put_prepare_from_cache },
	{ NNIPC_DEVICE_ALLOCATE, put_allocate },
	{ NNIPC_DEVICE_CREATE_MEMORY, put_create_memory },
	{ NNIPC_DEVICE_GET_INFO, put_nothing },
	{ NNIPC_DEVICE_GET_COUNTERS, put_nothing },
	{ NNIPC_PREPARED_EXECUTE, put_execute },
	{ NNIPC_PREPARED_EXECUTE_SYNCHRONOUSLY, put_execute_synchronously },
	{ NNIPC_PREPARED_EXECUTE_FENCED, put_execute_fenced },
	{ NNIPC_PREPARED_CONFIGURE_BURST, put_configure_burst },
	{ NNIPC_PREPARED_CREATE_REUSABLE_EXECUTION, put_create_reusable },
	{ NNIPC_FENCED_GET_EXECUTION_INFO, put_nothing },
	{ NNIPC_BURST_EXECUTE, put_burst_execute },
	{ NNIPC_EXECUTION_EXECUTE_SYNCHRONOUSLY, put_time },
	{ NNIPC_EXECUTION_EXECUTE_FENCED, put_reusable_fenced },
	{ NNIPC_BUFFER_COPY_TO, put_copy_to },
	{ NNIPC_BUFFER_COPY_FROM, put_copy_from },
};
const size_t num_methods = sizeof(methods) / sizeof(methods[0]);

uint64_t object_of(const struct objects *o, uint32_t method)
{
	return o->oids[method >> 8];
}

/* ---- objects ---- */

/* Call, and the number in the results, behind a descriptor or not. */
static uint64_t make(struct client *c, const struct objects *o, uint32_t number, bool fd)
{
	struct nnipc_reader *r = &c->lane.in.reader;

	for (size_t i = 0; i < num_methods; i++)
		if (methods[i].number == number)
			methods[i].put(&c->lane.out, o);
	assert_int_equal(client_call(c, number, object_of(o, number)), 0);
	assert_int_equal(nnipc_get_status(r), NNHAL_NONE);
	if (fd)
		close(nnipc_get_fd(r));
	return nnipc_get_u64(r);
}

void objects_make(struct client *c, struct objects *o)
{
	*o = (struct objects){ { 0 } };
	o->oids[2] = client_prepare_add(c);
	o->oids[3] = make(c, o, NNIPC_PREPARED_EXECUTE_FENCED, true);
	o->oids[4] = make(c, o, NNIPC_PREPARED_CONFIGURE_BURST, false);
	o->oids[5] = make(c, o, NNIPC_PREPARED_CREATE_REUSABLE_EXECUTION, false);
	o->oids[6] = make(c, o, NNIPC_DEVICE_ALLOCATE, false);
}
