// SPDX-License-Identifier: Apache-2.0
/* Each kind of value: its samples as bytes, and from bytes to bytes. */
#include "values.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "values/nnhal_values.h"

/* ---- numbers and texts ---- */

static void put_bool(struct nnipc_writer *w, uint32_t sample)
{
	nnipc_put_bool(w, sample != 1);
}

static void copy_bool(struct nnipc_reader *r, struct nnipc_writer *w)
{
	bool value = nnipc_get_bool(r);

	if (w)
		nnipc_put_bool(w, value);
}

static void put_u32(struct nnipc_writer *w, uint32_t sample)
{
	nnipc_put_u32(w, sample ? sample - 1 : UINT32_MAX);
}

static void copy_u32(struct nnipc_reader *r, struct nnipc_writer *w)
{
	uint32_t value = nnipc_get_u32(r);

	if (w)
		nnipc_put_u32(w, value);
}

static void put_u64(struct nnipc_writer *w, uint32_t sample)
{
	nnipc_put_u64(w, sample ? sample - 1 : 0x0123456789abcdefull);
}

static void copy_u64(struct nnipc_reader *r, struct nnipc_writer *w)
{
	uint64_t value = nnipc_get_u64(r);

	if (w)
		nnipc_put_u64(w, value);
}

static void put_text(struct nnipc_writer *w, uint32_t sample)
{
	static const char *const texts[] = { "worker:cpu", NULL, "" };

	nnipc_put_text(w, texts[sample]);
}

static void copy_text(struct nnipc_reader *r, struct nnipc_writer *w)
{
	char *text = nnipc_get_text(r, 4096);

	if (w)
		nnipc_put_text(w, text);
	free(text);
}

static void put_fd(struct nnipc_writer *w, uint32_t sample)
{
	nnipc_put_fd(w, sample ? -1 : sample_fd());
}

static void copy_fd(struct nnipc_reader *r, struct nnipc_writer *w)
{
	int fd = nnipc_get_fd(r);

	if (w)
		nnipc_put_fd(w, fd);
	if (fd >= 0)
		close(fd);
}

/* ---- lists that are no type's ---- */

static void put_numbers(struct nnipc_writer *w, uint32_t sample)
{
	static const uint32_t numbers[] = { 4, 3, 2, 1 };

	nnipc_put_u32s(w, numbers, sample == 1 ? 0 : 4);
}

static void copy_numbers(struct nnipc_reader *r, struct nnipc_writer *w)
{
	uint32_t count, *numbers = nnipc_get_u32s(r, &count, UINT32_MAX);

	if (w)
		nnipc_put_u32s(w, numbers, count);
	free(numbers);
}

static void put_oids(struct nnipc_writer *w, uint32_t sample)
{
	nnipc_put_u32(w, sample == 1 ? 0 : 2);
	for (uint64_t i = 0; i < 2 && sample != 1; i++)
		nnipc_put_u64(w, i);
}

static void copy_oids(struct nnipc_reader *r, struct nnipc_writer *w)
{
	uint32_t count = nnipc_get_count(r, sizeof(uint64_t), UINT32_MAX);

	if (w)
		nnipc_put_u32(w, count);
	while (count--)
		copy_u64(r, w);
}

static void put_supported(struct nnipc_writer *w, uint32_t sample)
{
	nnipc_put_u32(w, sample == 1 ? 0 : 3);
	for (int i = 0; i < 3 && sample != 1; i++)
		nnipc_put_bool(w, i % 2);
}

static void copy_supported(struct nnipc_reader *r, struct nnipc_writer *w)
{
	uint32_t count = nnipc_get_count(r, 1, UINT32_MAX);

	if (w)
		nnipc_put_u32(w, count);
	while (count--)
		copy_bool(r, w);
}

static void put_reasons(struct nnipc_writer *w, uint32_t sample)
{
	nnipc_put_u32(w, 3);
	for (uint32_t i = 0; i < 3; i++)
		put_text(w, (sample + i) % VALUE_SAMPLES);
}

static void copy_reasons(struct nnipc_reader *r, struct nnipc_writer *w)
{
	uint32_t count = nnipc_get_count(r, 1, UINT32_MAX);

	if (w)
		nnipc_put_u32(w, count);
	while (count--)
		copy_text(r, w);
}

static void put_token(struct nnipc_writer *w, uint32_t sample)
{
	static const uint8_t token[NNHAL_CACHE_TOKEN_SIZE] = { 9, [31] = 8 };

	nnipc_put_bytes(w, token, sample == 1 ? 0 : sizeof(token));
}

static void copy_token(struct nnipc_reader *r, struct nnipc_writer *w)
{
	size_t size;
	const void *bytes = nnipc_get_bytes(r, &size);

	if (w)
		nnipc_put_bytes(w, bytes, size);
}

/* ---- models ---- */

static void put_status(struct nnipc_writer *w, uint32_t sample)
{
	static const enum nnhal_status statuses[] = { NNHAL_DEAD_OBJECT, NNHAL_NONE,
						      NNHAL_RESOURCE_EXHAUSTED_PERSISTENT };

	nnipc_put_status(w, statuses[sample]);
}

static void copy_status(struct nnipc_reader *r, struct nnipc_writer *w)
{
	enum nnhal_status status = nnipc_get_status(r);

	if (w)
		nnipc_put_status(w, status);
}

static void put_model(struct nnipc_writer *w, uint32_t sample)
{
	static struct nnmodel *models[VALUE_SAMPLES];

	/* its pools must be open until the message is sent */
	if (!models[sample])
		models[sample] = sample_model(sample);
	nnipc_put_model(w, models[sample]);
}

static void copy_model(struct nnipc_reader *r, struct nnipc_writer *w)
{
	struct nnmodel *model = nnipc_get_model(r);

	if (w)
		nnipc_put_model(w, model);
	nnmodel_free(model);
}

static void put_model_error(struct nnipc_writer *w, uint32_t sample)
{
	struct nnmodel_error err = NNMODEL_ERROR_INIT;

	if (sample == 2)
		memset(err.text, 't', sizeof(err.text));
	if (!sample)
		err = (struct nnmodel_error){ sizeof(err), 1, 2, UINT32_MAX, "operation 2 (ADD)" };
	nnipc_put_model_error(w, &err);
}

static void copy_model_error(struct nnipc_reader *r, struct nnipc_writer *w)
{
	struct nnmodel_error err;

	nnipc_get_model_error(r, &err);
	if (w)
		nnipc_put_model_error(w, &err);
}

/* ---- requests ---- */

static void put_memory(struct nnipc_writer *w, uint32_t sample)
{
	struct nnhal_memory memory = { sample_fd(), PROT_READ, 4096, 1ull << 40 };

	if (sample == 2)
		memory = (struct nnhal_memory){ -5, -1, UINT64_MAX, 0 };
	nnipc_put_memory(w, sample == 1 ? NULL : &memory);
}

static void copy_memory(struct nnipc_reader *r, struct nnipc_writer *w)
{
	struct nnhal_memory memory;
	bool present = nnipc_get_memory(r, &memory);

	if (w)
		nnipc_put_memory(w, present ? &memory : NULL);
	if (memory.fd >= 0)
		close(memory.fd);
}

static void put_request(struct nnipc_writer *w, uint32_t sample)
{
	struct nnhal_request request = sample_request(sample);

	nnipc_put_request(w, &request, NULL);
}

static void put_slot_request(struct nnipc_writer *w, uint32_t sample)
{
	static const uint32_t slots[] = { 17, UINT32_MAX, UINT32_MAX };
	struct nnhal_request request = sample_request(sample);

	nnipc_put_request(w, sample == 1 ? NULL : &request, slots);
}

static void copy_request(struct nnipc_reader *r, struct nnipc_writer *w)
{
	struct nnipc_request request;

	nnipc_get_request(r, &request);
	if (w)
		nnipc_put_request(w, request.present ? &request.request : NULL, request.slots);
	nnipc_request_free(&request);
}

static void put_execution_config(struct nnipc_writer *w, uint32_t sample)
{
	struct nnhal_execution_config config = sample_execution_config(sample);

	nnipc_put_execution_config(w, sample == 1 ? NULL : &config);
}

static void copy_execution_config(struct nnipc_reader *r, struct nnipc_writer *w)
{
	struct nnhal_execution_config config = nnipc_get_execution_config(r);

	if (w)
		nnipc_put_execution_config(w, config.size ? &config : NULL);
	nnipc_execution_config_free(&config);
}

static void put_prepare_config(struct nnipc_writer *w, uint32_t sample)
{
	struct nnhal_prepare_config config = sample_prepare_config(sample);

	nnipc_put_prepare_config(w, sample == 1 ? NULL : &config);
}

static void copy_prepare_config(struct nnipc_reader *r, struct nnipc_writer *w)
{
	struct nnhal_prepare_config config = nnipc_get_prepare_config(r);

	if (w)
		nnipc_put_prepare_config(w, config.size ? &config : NULL);
	nnipc_prepare_config_free(&config);
}

static void put_fds(struct nnipc_writer *w, uint32_t sample)
{
	int fds[] = { sample_fd(), -1, sample_fd() };

	nnipc_put_fds(w, sample == 2 ? NULL : fds, sample == 1 ? 0 : 3);
}

static void copy_fds(struct nnipc_reader *r, struct nnipc_writer *w)
{
	uint32_t count;
	int *fds = nnipc_get_fds(r, &count);

	if (w)
		nnipc_put_fds(w, fds, count);
	nnipc_fds_free(fds, count);
}

/* ---- results ---- */

static void put_result(struct nnipc_writer *w, uint32_t sample)
{
	struct nnhal_execution_result result = sample_result(sample);

	nnipc_put_result(w, &result);
}

static void copy_result(struct nnipc_reader *r, struct nnipc_writer *w)
{
	struct nnhal_execution_result result;

	nnhal_result_init(&result);
	nnipc_get_result(r, &result);
	if (w)
		nnipc_put_result(w, &result);
	nnhal_execution_result_clear(&result);
}

static void put_timing(struct nnipc_writer *w, uint32_t sample)
{
	nnipc_put_timing(w, sample_result(sample).timing);
}

static void copy_timing(struct nnipc_reader *r, struct nnipc_writer *w)
{
	struct nnhal_timing timing = nnipc_get_timing(r);

	if (w)
		nnipc_put_timing(w, timing);
}

/* ---- devices ---- */

static void put_capabilities(struct nnipc_writer *w, uint32_t sample)
{
	struct nnhal_capabilities caps = sample_capabilities(sample);

	nnipc_put_capabilities(w, &caps);
}

static void copy_capabilities(struct nnipc_reader *r, struct nnipc_writer *w)
{
	struct nnhal_capabilities caps;

	nnipc_get_capabilities(r, &caps);
	if (w)
		nnipc_put_capabilities(w, &caps);
}

static void put_info(struct nnipc_writer *w, uint32_t sample)
{
	struct nnhal_device_info info = sample_info(sample);

	nnipc_put_info(w, &info);
}

static void copy_info(struct nnipc_reader *r, struct nnipc_writer *w)
{
	struct nnhal_device_info info;

	nnipc_get_info(r, &info);
	if (w)
		nnipc_put_info(w, &info);
}

static void put_counters(struct nnipc_writer *w, uint32_t sample)
{
	struct nnhal_counters counters = { sizeof(counters), 1, 2, 3, 4, UINT64_MAX };

	if (sample == 1)
		counters = (struct nnhal_counters){ .size = sizeof(counters) };
	nnipc_put_counters(w, &counters);
}

static void copy_counters(struct nnipc_reader *r, struct nnipc_writer *w)
{
	struct nnhal_counters counters;

	nnipc_get_counters(r, &counters);
	if (w)
		nnipc_put_counters(w, &counters);
}

static void put_buffer_desc(struct nnipc_writer *w, uint32_t sample)
{
	static const uint32_t dims[] = { 0, 7, UINT32_MAX };
	struct nnhal_buffer_desc desc = { sizeof(desc), sample == 1 ? 0 : 3, sample ? NULL : dims };

	nnipc_put_buffer_desc(w, &desc);
}

static void copy_buffer_desc(struct nnipc_reader *r, struct nnipc_writer *w)
{
	struct nnhal_buffer_desc desc;

	nnipc_get_buffer_desc(r, &desc);
	if (w)
		nnipc_put_buffer_desc(w, &desc);
	free((void *)desc.dims);
}

static void put_roles(struct nnipc_writer *w, uint32_t sample)
{
	static const struct nnhal_buffer_role roles[] = { { 1, 2, 0.5f }, { UINT32_MAX, 0, -1 } };

	nnipc_put_roles(w, sample == 2 ? NULL : roles, sample == 1 ? 0 : 2);
}

static void copy_roles(struct nnipc_reader *r, struct nnipc_writer *w)
{
	uint32_t count;
	struct nnhal_buffer_role *roles = nnipc_get_roles(r, &count);

	if (w)
		nnipc_put_roles(w, roles, count);
	free(roles);
}

static void put_description(struct nnipc_writer *w, uint32_t sample)
{
	struct nnipc_description d = sample_description(sample);

	nnipc_put_description(w, &d);
}

static void copy_description(struct nnipc_reader *r, struct nnipc_writer *w)
{
	struct nnipc_description d;

	nnipc_get_description(r, &d);
	if (w && !r->error)
		nnipc_put_description(w, &d);
	nnipc_description_free(&d);
}

const struct value_kind value_kinds[V_END] = {
	[V_BOOL] = { "bool", put_bool, copy_bool },
	[V_U32] = { "u32", put_u32, copy_u32 },
	[V_U64] = { "u64", put_u64, copy_u64 },
	[V_TEXT] = { "text", put_text, copy_text },
	[V_FD] = { "descriptor", put_fd, copy_fd },
	[V_STATUS] = { "status", put_status, copy_status },
	[V_MODEL] = { "model", put_model, copy_model },
	[V_MODEL_ERROR] = { "model error", put_model_error, copy_model_error },
	[V_MEMORY] = { "memory", put_memory, copy_memory },
	[V_REQUEST] = { "request", put_request, copy_request },
	[V_SLOT_REQUEST] = { "request with slots", put_slot_request, copy_request },
	[V_EXECUTION_CONFIG] = { "execution config", put_execution_config, copy_execution_config },
	[V_PREPARE_CONFIG] = { "prepare config", put_prepare_config, copy_prepare_config },
	[V_FDS] = { "descriptors", put_fds, copy_fds },
	[V_NUMBERS] = { "numbers", put_numbers, copy_numbers },
	[V_OIDS] = { "objects", put_oids, copy_oids },
	[V_SUPPORTED] = { "supported", put_supported, copy_supported },
	[V_REASONS] = { "reasons", put_reasons, copy_reasons },
	[V_TOKEN] = { "token", put_token, copy_token },
	[V_RESULT] = { "result", put_result, copy_result },
	[V_TIMING] = { "timing", put_timing, copy_timing },
	[V_CAPABILITIES] = { "capabilities", put_capabilities, copy_capabilities },
	[V_INFO] = { "info", put_info, copy_info },
	[V_COUNTERS] = { "counters", put_counters, copy_counters },
	[V_BUFFER_DESC] = { "buffer desc", put_buffer_desc, copy_buffer_desc },
	[V_ROLES] = { "roles", put_roles, copy_roles },
	[V_DESCRIPTION] = { "description", put_description, copy_description },
};
