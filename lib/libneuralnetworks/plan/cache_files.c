// SPDX-License-Identifier: Apache-2.0
/*
 * Cache entries of a step. The token: a digest of all that changes what the device prepares. The
 * files: by name in the client's directory, or by descriptors of the client.
 */
#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nnr_build.h"
#include "nnutil_log.h"

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

#define TOKEN_LETTERS (2 * NNHAL_CACHE_TOKEN_SIZE)

/* <64 letters of the token><1 model, 2 data><number>, appended to the directory. */
static void file_name(char *end, size_t room, const uint8_t *token, bool data, uint32_t number)
{
	uint32_t i;

	for (i = 0; i < NNHAL_CACHE_TOKEN_SIZE; i++) {
		*end++ = (char)('A' + (token[i] & 0x0f));
		*end++ = (char)('A' + (token[i] >> 4));
	}
	snprintf(end, room - TOKEN_LETTERS, "%c%u", data ? '2' : '1', number);
}

static int open_by_name(struct nnr_cache_files *files, const char *dir,
			const ANeuralNetworksDevice *device, const uint8_t *token, int flags)
{
	size_t length = strlen(dir), room = TOKEN_LETTERS + 16;
	uint32_t num = device->num_model_cache + device->num_data_cache, i;
	char *path = malloc(length + room);
	int ret = 0, fd;

	if (!path)
		return -ENOMEM;
	/* The name follows. NOLINTNEXTLINE(bugprone-not-null-terminated-result) */
	memcpy(path, dir, length);
	for (i = 0; i < num && !ret; i++) {
		bool data = i >= device->num_model_cache;

		file_name(path + length, room, token, data, data ? i - device->num_model_cache : i);
		fd = open(path, O_RDWR | O_CLOEXEC | flags, 0600);
		if (fd < 0) {
			ret = -errno;
			break;
		}
		files->fds[i] = fd;
		files->num_model += !data;
		files->num_data += data;
	}
	free(path);
	return ret;
}

/* A wrong number of files means no caching, not a failure. */
static int dup_given(struct nnr_cache_files *files, const ANeuralNetworksCompilation *c,
		     const ANeuralNetworksDevice *device)
{
	uint32_t num = c->num_model_cache_fds + c->num_data_cache_fds, i;

	if (c->num_model_cache_fds != device->num_model_cache ||
	    c->num_data_cache_fds != device->num_data_cache) {
		nnutil_log(
			NNUTIL_LOG_WARNING,
			"%s needs %u model and %u data cache files, %u and %u were given: not cached",
			device->name, device->num_model_cache, device->num_data_cache,
			c->num_model_cache_fds, c->num_data_cache_fds);
		return -EINVAL;
	}
	for (i = 0; i < num; i++) {
		files->fds[i] = fcntl(c->cache_fds[i], F_DUPFD_CLOEXEC, 0);
		if (files->fds[i] < 0)
			return -errno;
		files->num_model += i < c->num_model_cache_fds;
		files->num_data += i >= c->num_model_cache_fds;
	}
	return 0;
}

static int get_files(struct nnr_cache_files *files, const ANeuralNetworksCompilation *c,
		     const ANeuralNetworksDevice *device, const uint8_t *token, int flags)
{
	int ret;

	files->num_model = 0;
	files->num_data = 0;
	ret = c->cache_fds ? dup_given(files, c, device)
			   : open_by_name(files, c->cache_dir, device, token, flags);
	if (ret)
		nnr_cache_files_close(files);
	return ret;
}

int nnr_cache_files_open(struct nnr_cache_files *files,
			 const ANeuralNetworksCompilation *compilation,
			 const ANeuralNetworksDevice *device,
			 const uint8_t token[NNHAL_CACHE_TOKEN_SIZE])
{
	return get_files(files, compilation, device, token, 0);
}

int nnr_cache_files_create(struct nnr_cache_files *files,
			   const ANeuralNetworksCompilation *compilation,
			   const ANeuralNetworksDevice *device,
			   const uint8_t token[NNHAL_CACHE_TOKEN_SIZE])
{
	return get_files(files, compilation, device, token, O_CREAT);
}

void nnr_cache_files_close(struct nnr_cache_files *files)
{
	uint32_t i;

	for (i = 0; i < files->num_model + files->num_data; i++)
		close(files->fds[i]);
	files->num_model = 0;
	files->num_data = 0;
}
