// SPDX-License-Identifier: Apache-2.0
/* The token of a step's cache entry: a digest of all that changes what the device prepares. */
#include <errno.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>

#include "nnr_build.h"
#include "plan/nnr_plan.h"

static void cache_token_put(struct sha256_ctx *sha, const void *data, size_t size)
{
	sha256_update(sha, size, data);
}

static void put_string(struct sha256_ctx *sha, const char *s)
{
	cache_token_put(sha, s, strlen(s));
}

static int compare_attributes(const void *a, const void *b)
{
	const struct nnr_attribute *const *x = a, *const *y = b;
	int order = strcmp((*x)->extension, (*y)->extension);

	return order ? order : (int)(*x)->code - (int)(*y)->code;
}

/* Sorted, because the order in which they were added does not matter. */
static int put_attributes(struct sha256_ctx *sha, const ANeuralNetworksCompilation *c)
{
	const struct nnr_attribute **sorted;
	uint32_t i;

	if (!c->num_attributes)
		return 0;
	sorted = calloc(c->num_attributes, sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	for (i = 0; i < c->num_attributes; i++)
		sorted[i] = &c->attributes[i];
	qsort(sorted, c->num_attributes, sizeof(*sorted), compare_attributes);
	for (i = 0; i < c->num_attributes; i++) {
		put_string(sha, sorted[i]->extension);
		cache_token_put(sha, &sorted[i]->code, sizeof(sorted[i]->code));
		cache_token_put(sha, sorted[i]->data, sorted[i]->size);
	}
	free(sorted);
	return 0;
}

uint64_t nnr_build(void)
{
	return NNR_BUILD;
}

int nnr_cache_token(const ANeuralNetworksCompilation *compilation, const struct nnr_step *step,
		    uint8_t token[NNHAL_CACHE_TOKEN_SIZE])
{
	const ANeuralNetworksDevice *device = step->device;
	const uint64_t build = nnr_build();
	struct sha256_ctx sha;
	uint32_t i;
	int ret;

	_Static_assert(SHA256_DIGEST_SIZE == NNHAL_CACHE_TOKEN_SIZE, "the digest is the token");
	sha256_init(&sha);
	cache_token_put(&sha, &build, sizeof(build));
	cache_token_put(&sha, compilation->token, sizeof(compilation->token));
	for (i = 0; i < step->num_operations; i++) {
		cache_token_put(&sha, &step->subgraph, sizeof(step->subgraph));
		cache_token_put(&sha, &step->operations[i], sizeof(step->operations[i]));
	}
	put_string(&sha, device->name);
	put_string(&sha, device->version);
	cache_token_put(&sha, &compilation->preference, sizeof(compilation->preference));
	cache_token_put(&sha, &compilation->priority, sizeof(compilation->priority));
	ret = put_attributes(&sha, compilation);
	sha256_digest(&sha, NNHAL_CACHE_TOKEN_SIZE, token);
	return ret;
}
