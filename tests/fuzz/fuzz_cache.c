// SPDX-License-Identifier: Apache-2.0
/*
 * Cache files from a hostile writer, who knows the format and makes every digest right: what is
 * accepted must be what the firmware and the request checks can live with. For libFuzzer:
 * LLVMFuzzerTestOneInput(). Here:
 *
 *   fuzz_cache N [SEED]    N mutations of entries of the library's own, the same ones every time
 */
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/refuse.h"
#include "cache/digest.h"
#include "cache/entry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct nnhal_cache_key key = {
	.contract_version = 1, .fw_version = 2, .opset_version = 3, .token = { 4 }, .opset = { 5 }
};
static uint64_t inputs, accepted, reached_program;

/* What a prepared model makes of the signature. */
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
	}
	inputs++;
	ret = nnhal_cache_decode(&key, bytes, size, &entry, message);
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

struct seed {
	uint8_t *bytes;
	size_t size;
};

static uint32_t tensor(struct nnmodel *m, uint32_t type, uint32_t lifetime, uint32_t channels,
		       float scale)
{
	const uint32_t dims[] = { 1, 4, 4, channels };
	int n = nnmodel_add_operand(m, type, lifetime, dims, 4, scale, 0);

	if (n < 0)
		abort();
	return (uint32_t)n;
}

/* y = (a + b) * c ..., float or int8; @dynamic: no rank known. */
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

/* n of com.example.fibonacci's own scalar, its numbers as floats. */
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

static struct seed make_seed(struct nnmodel *m)
{
	struct nnhal_lowered lowered;
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	struct nnhal_opset opset = { .version = NNPROG_OPSET_VERSION, .extensions = UINT32_MAX };
	struct seed s;
	void *bytes;

	for (uint32_t i = 1; i < NNPROG_OP_COUNT; i++) {
		opset.ops[i].present = true;
		opset.ops[i].types = UINT32_MAX;
		opset.ops[i].max_rank = NNPROG_MAX_RANK;
	}
	if (nnhal_lower_model(m, &opset, &lowered, &err)) {
		fprintf(stderr, "fuzz_cache: %s\n", err.text);
		exit(1);
	}
	if (nnhal_cache_encode(&key, m, lowered.bytes, lowered.size, 1, &bytes, &s.size))
		abort();
	s.bytes = bytes;
	free(lowered.bytes);
	nnmodel_free(m);
	return s;
}

static uint32_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*seed >> 33);
}

/* Mostly header and signature; the program has a fuzzer of its own. */
static void mutate(uint8_t *bytes, size_t size, uint64_t *seed)
{
	static const uint32_t values[] = {
		0,	 1,	     2,		 3,	     4,		 5,	     8,
		14,	 15,	     16,	 63,	     64,	 255,	     256,
		0x10000, 0x3f800000, 0x7f800000, 0x7fc00000, 0x7fffffff, 0x80000000, 0xffffffff
	};
	size_t at = next_random(seed) % (next_random(seed) % 4 ? 768 : size) & ~(size_t)3;
	uint32_t word;

	if (at + 4 > size)
		return;
	memcpy(&word, bytes + at, 4);
	switch (next_random(seed) % 4) {
	case 0:
		word ^= 1u << next_random(seed) % 32;
		break;
	case 1:
		word = values[next_random(seed) % (sizeof(values) / sizeof(values[0]))];
		break;
	case 2:
		word += next_random(seed) % 9 - 4;
		break;
	default:
		memcpy(&word, bytes + (next_random(seed) % (size / 4)) * 4, 4);
	}
	memcpy(bytes + at, &word, 4);
}

int main(int argc, char **argv)
{
	uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 0) : 10000;
	uint64_t random = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	struct seed seeds[] = {
		make_seed(make_model(NNMODEL_TENSOR_FLOAT32, 0, 1, false)),
		make_seed(make_model(NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED, 0.5f, 3, false)),
		make_seed(make_model(NNMODEL_TENSOR_FLOAT32, 0, 2, true)),
		make_seed(make_extension_model()),
	};
	const size_t count = sizeof(seeds) / sizeof(seeds[0]);

	for (size_t i = 0; i < count; i++)
		LLVMFuzzerTestOneInput(seeds[i].bytes, seeds[i].size);
	if (accepted != count) {
		fprintf(stderr, "fuzz_cache: a good entry is refused\n");
		return 1;
	}
	for (uint64_t n = 0; n < rounds; n++) {
		const struct seed *s = &seeds[n % count];
		uint8_t *copy = malloc(s->size);
		size_t size = s->size;

		if (!copy)
			return 1;
		memcpy(copy, s->bytes, size);
		for (uint32_t i = 1 + next_random(&random) % 3; i--;)
			mutate(copy, size, &random);
		if (next_random(&random) % 16 == 0)
			size = next_random(&random) % size;
		LLVMFuzzerTestOneInput(copy, size);
		free(copy);
	}
	for (size_t i = 0; i < count; i++)
		free(seeds[i].bytes);
	printf("%llu inputs, %llu reached the program, %llu accepted\n", (unsigned long long)inputs,
	       (unsigned long long)reached_program, (unsigned long long)accepted);
	/* a target that refuses everything early tests nothing */
	if (rounds >= 1000 && (reached_program < rounds / 20 || accepted < rounds / 200)) {
		fprintf(stderr, "fuzz_cache: mutations do not reach what they should\n");
		return 1;
	}
	return 0;
}
