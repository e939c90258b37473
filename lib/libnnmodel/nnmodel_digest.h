/* SPDX-License-Identifier: Apache-2.0 */
/* Digests of models, for tokens and cache entries. Users link nettle. */
#ifndef NNMODEL_DIGEST_H
#define NNMODEL_DIGEST_H

#include <nettle/sha2.h>
#include <stdint.h>

#include "nnmodel.h"

/** nnmodel_digest_put() - a function for @put of nnmodel_serialize(); @cookie: a struct sha256_ctx
 */
static inline int nnmodel_digest_put(void *cookie, const void *data, size_t size)
{
	sha256_update(cookie, size, data);
	return 0;
}

/**
 * nnmodel_digest() - SHA-256 of the canonical bytes of a model
 * @model: a model
 * @digest: filled on success
 *
 * Return: 0, or an error of nnmodel_serialize().
 */
static inline int nnmodel_digest(const struct nnmodel *model, uint8_t digest[SHA256_DIGEST_SIZE])
{
	struct sha256_ctx ctx;
	int ret;

	sha256_init(&ctx);
	ret = nnmodel_serialize(model, nnmodel_digest_put, &ctx);
	if (!ret)
		sha256_digest(&ctx, SHA256_DIGEST_SIZE, digest);
	return ret;
}

#endif
