// SPDX-License-Identifier: Apache-2.0
/*
 * Cache files from a hostile writer who knows the format and makes every digest right: what is
 * accepted must be safe for the firmware and for the checks of requests.
 */
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "values/nnhal_values.h"
#include "cache/nnhal_cache.h"
#include "fuzz_target.h"
#include "nnprog_format.h"
#include "nnprog_opcode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct nnhal_cache_key key = {
	.contract_version = 1, .fw_version = 2, .opset_version = 3, .token = { 4 }, .opset = { 5 }
};
static uint64_t inputs, accepted, reached_program;

/* Use the signature as a prepared model does. */
static void use(const struct nnhal_cache_entry *e)
{
	const struct nnmodel_subgraph *g = &e->model->main;
	uint64_t bytes;

	if (e->priority > NNHAL_PRIORITY_HIGH)
		abort();
	for (uint32_t i = 0; i < g->num_inputs + g->num_outputs; i++) {
		uint32_t n = i < g->num_inputs ? g->inputs[i] : g->outputs[i - g->num_inputs];

		if (n >= g->num_operands || (!nnmodel_type_size(g->operands[n].type) &&
					     !nnhal_lower_type(e->model, g->operands[n].type)))
			abort();
		nnmodel_operand_bytes(&g->operands[n], &bytes);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char message[NNHAL_MESSAGE] = "";
	uint8_t digest[NNHAL_CACHE_DIGEST] = { 0 };
	struct nnhal_cache_entry entry;
	void *bytes = NULL;
	int ret;

	/* exactly as long, so that the sanitizer sees every byte too far */
	if (posix_memalign(&bytes, NNHAL_CACHE_ALIGN, size ? size : 1))
		return 0;
	memcpy(bytes, data, size);
	if (size >= sizeof(struct nnhal_cache_header)) {
		struct nnhal_cache_header *h = bytes;
		uint64_t offset = le64toh(h->program_offset);

		if (offset <= size && size - offset > sizeof(struct nnprog_header) &&
		    offset % 64 == 0) {
			struct nnprog_header *p = (void *)((uint8_t *)bytes + offset);

			p->crc32 = (uint32_t)crc32_z(0, (uint8_t *)(p + 1),
						     size - offset - sizeof(*p));
		}
		nnhal_cache_digest(bytes, size, h->digest);
		memcpy(digest, h->digest, sizeof(digest));
	}
	inputs++;
	ret = nnhal_cache_decode(&key, bytes, size, digest, &entry, message);
	if ((ret == 0) != (entry.model != NULL) || (ret && !message[0]))
		abort();
	reached_program += !ret || strstr(message, "program");
	if (!ret) {
		accepted++;
		use(&entry);
		nnmodel_free(entry.model);
	}
	free(bytes);
	return 0;
}

/* ---- seeds ---- */

static uint32_t tensor(struct nnmodel *m, uint32_t type, uint32_t lifetime, uint32_t channels,
		       float scale)
{
	const uint32_t dims[] = { 1, 4, 4, channels };
	int n = nnmodel_add_operand(m, type, lifetime, dims, 4, scale, 0);

	if (n < 0)
		abort();
	return (uint32_t)n;
}

/* y = (a + b) * c ..., float or int8; @dynamic: unknown ranks. */
static struct nnmodel *make_model(uint32_t type, float scale, uint32_t ops, bool dynamic)
{
	struct nnmodel *m = nnmodel_new();
	uint32_t io[3], prev, next, act;

	if (!m)
		abort();
	io[0] = prev = tensor(m, type, NNMODEL_SUBGRAPH_INPUT, 8, scale);
	io[1] = tensor(m, type, NNMODEL_SUBGRAPH_INPUT, 1, scale);
	act = (uint32_t)nnmodel_add_int32(m, NNMODEL_FUSED_NONE);
	for (uint32_t i = 0; i < ops; i++) {
		next = tensor(m, type,
			      i + 1 < ops ? NNMODEL_TEMPORARY_VARIABLE : NNMODEL_SUBGRAPH_OUTPUT, 8,
			      scale);
		if (nnmodel_add_operation(m, NNMODEL_ADD, (const uint32_t[]){ prev, io[1], act }, 3,
					  &next, 1) < 0)
			abort();
		prev = next;
	}
	io[2] = prev;
	for (uint32_t i = 0; dynamic && i < m->main.num_operands; i++)
		if (m->main.operands[i].rank)
			m->main.operands[i].rank = 0;
	if (nnmodel_set_io(m, io, 2, &io[2], 1))
		abort();
	return m;
}

/* An operation of com.example.fibonacci: a scalar of the extension to floats. */
static struct nnmodel *make_extension_model(void)
{
	struct nnmodel *m = nnmodel_new();
	const uint32_t dims[] = { 10 }, in = 0, out = 1;

	if (!m || nnmodel_add_operand(m, 7u << 16, NNMODEL_SUBGRAPH_INPUT, NULL, 0, 0, 0) != 0 ||
	    nnmodel_add_operand(m, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_OUTPUT, dims, 1, 0,
				0) != 1 ||
	    nnmodel_add_operation(m, 7u << 16, &in, 1, &out, 1) ||
	    nnmodel_set_io(m, &in, 1, &out, 1))
		abort();
	m->extensions = calloc(1, sizeof(*m->extensions));
	if (!m->extensions)
		abort();
	m->extensions[0] = (struct nnmodel_extension){ strdup("com.example.fibonacci"), 7 };
	m->num_extensions = 1;
	return m;
}

static void add_seed(struct fuzz_seed **seeds, size_t *count, const char *name, struct nnmodel *m)
{
	struct nnhal_lowered lowered;
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	struct nnhal_opset opset = { .version = NNPROG_OPSET_VERSION, .extensions = UINT32_MAX };
	struct nnhal_cache_bytes file;
	uint8_t *bytes;
	size_t size;

	for (uint32_t i = 1; i < NNPROG_OP_COUNT; i++) {
		opset.ops[i].present = true;
		opset.ops[i].types = UINT32_MAX;
		opset.ops[i].max_rank = NNPROG_MAX_RANK;
	}
	if (nnhal_lower_model(m, &opset, &lowered, &err)) {
		fprintf(stderr, "fuzz_cache: %s\n", err.text);
		exit(1);
	}
	if (nnhal_cache_encode(&key, m, lowered.bytes, lowered.size, 1, &file))
		abort();
	size = file.head_size + file.program_size;
	bytes = malloc(size);
	if (!bytes)
		abort();
	memcpy(bytes, file.head, file.head_size);
	memcpy(bytes + file.head_size, file.program, file.program_size);
	fuzz_add_seed(seeds, count, name, bytes, size);
	free(bytes);
	free(file.head);
	free(lowered.bytes);
	nnmodel_free(m);
}

static size_t seeds(struct fuzz_seed **list)
{
	size_t count = 0;

	*list = NULL;
	add_seed(list, &count, "float", make_model(NNMODEL_TENSOR_FLOAT32, 0, 1, false));
	add_seed(list, &count, "int8",
		 make_model(NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED, 0.5f, 3, false));
	add_seed(list, &count, "dynamic", make_model(NNMODEL_TENSOR_FLOAT32, 0, 2, true));
	add_seed(list, &count, "extension", make_extension_model());
	return count;
}

/* Mostly header and signature; the program has a fuzz target of its own. */
static size_t mutate(uint8_t *data, size_t size, uint64_t *random)
{
	for (uint32_t i = 1 + fuzz_random(random) % 3; i--;)
		fuzz_mutate_word(data, fuzz_random(random) % 4 && size > 768 ? 768 : size, random);
	return fuzz_random(random) % 16 ? size : fuzz_random(random) % size;
}

static bool seeds_accepted(size_t count)
{
	return accepted == count;
}

static bool reached(uint64_t rounds)
{
	return reached_program >= rounds / 20 && accepted >= rounds / 200;
}

static void report(void)
{
	printf("%llu inputs, %llu reached the program, %llu accepted\n", (unsigned long long)inputs,
	       (unsigned long long)reached_program, (unsigned long long)accepted);
}

const struct fuzz_target fuzz_target = {
	.suffix = ".nncache",
	.seeds = seeds,
	.mutate = mutate,
	.seeds_accepted = seeds_accepted,
	.reached = reached,
	.report = report,
};
