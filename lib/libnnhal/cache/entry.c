// SPDX-License-Identifier: Apache-2.0
/*
 * Cache entries as bytes. The checks have one order: the digest matches; the entry is for this
 * token, device and library; its parts fit each other. An entry that passes is trusted as much as a
 * model from the client: the program is verified against the signature here, and by the device
 * again.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <nettle/sha2.h>

#include "values/nnhal_values.h"
#include "cache/nnhal_cache.h"
#include "nnprog_opcode.h"
#include "nnprog_verify.h"
#include "nnhal_build.h"
#include "nnmodel_digest.h"
#include "nnutil_align.h"
#include "nnutil_log.h"

_Static_assert(NNHAL_CACHE_DIGEST == SHA256_DIGEST_SIZE, "digest");
_Static_assert(NNHAL_CACHE_ALIGN == NNPROG_ALIGN, "programs are verified in place");

/* ---- the values that an entry is valid for ---- */

static void hash_u64(struct sha256_ctx *ctx, uint64_t n)
{
	n = htole64(n);
	sha256_update(ctx, sizeof(n), (const uint8_t *)&n);
}

static void hash_u32(struct sha256_ctx *ctx, uint32_t n)
{
	n = htole32(n);
	sha256_update(ctx, sizeof(n), (const uint8_t *)&n);
}

/* By their names: the numbers are private to this library. */
static void hash_extensions(struct sha256_ctx *ctx, uint32_t present)
{
	const struct nnhal_lower_type *types;
	const char *name;
	uint32_t num;

	for (uint32_t i = 0; (name = nnhal_lower_extension(i, &types, &num)); i++)
		if (present & 1u << i)
			sha256_update(ctx, strlen(name) + 1, (const uint8_t *)name);
}

int nnhal_cache_key_init(struct nnhal_cache_key *key, struct nnhal_dev *dev,
			 const uint8_t token[NNHAL_CACHE_TOKEN_SIZE])
{
	struct nnhal_device_info info = { 0 };
	struct sha256_ctx ctx;
	int ret = dev->t->ops->info(dev->t, &info);

	if (ret)
		return ret;
	*key = (struct nnhal_cache_key){
		.contract_version = info.contract_version,
		.fw_version = info.fw_version,
		.opset_version = dev->opset.version,
		.build = NNHAL_BUILD,
		.max_program = info.program_quota,
	};
	memcpy(key->token, token, sizeof(key->token));
	sha256_init(&ctx);
	for (uint32_t i = 0; i < NNPROG_OP_COUNT; i++) {
		hash_u32(&ctx, dev->opset.ops[i].present);
		hash_u32(&ctx, dev->opset.ops[i].types);
		hash_u32(&ctx, dev->opset.ops[i].max_rank);
		hash_u64(&ctx, dev->opset.ops[i].build);
	}
	hash_extensions(&ctx, dev->opset.extensions);
	sha256_digest(&ctx, sizeof(key->opset), key->opset);
	return 0;
}

/* ---- writing ---- */

static int count_bytes(void *cookie, const void *data, size_t size)
{
	uint64_t *total = cookie;

	(void)data;
	*total += size;
	return *total > NNHAL_CACHE_MAX_SIGNATURE ? -EFBIG : 0;
}

static int append_bytes(void *cookie, const void *data, size_t size)
{
	uint8_t **at = cookie;

	memcpy(*at, data, size);
	*at += size;
	return 0;
}

static uint64_t program_offset(uint64_t signature_size)
{
	uint64_t end = sizeof(struct nnhal_cache_header) + signature_size;

	return nnutil_align_up(end, NNHAL_CACHE_ALIGN);
}

int nnhal_cache_encode(const struct nnhal_cache_key *key, const struct nnmodel *model,
		       const void *program, size_t program_size, uint32_t priority,
		       struct nnhal_cache_bytes *file)
{
	uint64_t signature_size = 0, offset, size;
	struct nnhal_cache_header *header;
	struct nnhal_cache_sum sum;
	uint8_t *head, *at;
	int ret;

	ret = nnmodel_serialize_signature(model, count_bytes, &signature_size);
	if (ret)
		return ret;
	offset = program_offset(signature_size);
	if (__builtin_add_overflow(offset, program_size, &size))
		return -EFBIG;
	head = aligned_alloc(NNHAL_CACHE_ALIGN, offset);
	if (!head)
		return -ENOMEM;
	memset(head, 0, offset);
	header = (struct nnhal_cache_header *)head;
	*header = (struct nnhal_cache_header){
		.magic = htole32(NNHAL_CACHE_MAGIC),
		.format_version = htole32(NNHAL_CACHE_VERSION),
		.header_size = htole32(sizeof(*header)),
		.contract_version = htole32(key->contract_version),
		.fw_version = htole32(key->fw_version),
		.opset_version = htole32(key->opset_version),
		.program_version = htole32(NNPROG_VERSION),
		.priority = htole32(priority),
		.file_size = htole64(size),
		.signature_size = htole64(signature_size),
		.program_offset = htole64(offset),
		.program_size = htole64(program_size),
		.build = htole64(key->build),
	};
	memcpy(header->token, key->token, sizeof(header->token));
	memcpy(header->opset, key->opset, sizeof(header->opset));
	at = head + sizeof(*header);
	ret = nnmodel_serialize_signature(model, append_bytes, &at);
	if (!ret)
		ret = nnmodel_digest(model, header->model);
	if (ret) {
		free(head);
		return ret;
	}
	nnhal_cache_sum_begin(&sum);
	nnhal_cache_sum_add(&sum, header + 1, offset - sizeof(*header));
	nnhal_cache_sum_add(&sum, program, program_size);
	nnhal_cache_sum_end(&sum, header, header->digest);
	*file = (struct nnhal_cache_bytes){ head, program, offset, program_size };
	return 0;
}

/* ---- reading ---- */

/* @why continues "the cache file". */
static int entry_refuse(char *message, int error, const char *why)
{
	return nnutil_refuse(message, NNHAL_MESSAGE, error, "the cache file %s", why);
}

static int check_header(const struct nnhal_cache_key *key, const struct nnhal_cache_header *h,
			const uint8_t *digest, size_t size, char *message)
{
	if (le32toh(h->magic) != NNHAL_CACHE_MAGIC)
		return entry_refuse(message, -EKEYREJECTED,
				    "is no nnaccel cache file: its magic number is wrong");
	if (le32toh(h->format_version) != NNHAL_CACHE_VERSION ||
	    le32toh(h->header_size) != sizeof(*h))
		return entry_refuse(message, -ESTALE,
				    "has another format version than this library");
	if (le64toh(h->file_size) != size)
		return entry_refuse(message, -EKEYREJECTED,
				    "has another length than its header says");
	if (memcmp(digest, h->digest, sizeof(h->digest)))
		return entry_refuse(message, -EKEYREJECTED,
				    "is damaged: its digest does not match");
	if (memcmp(h->token, key->token, sizeof(h->token)))
		return entry_refuse(message, -ESTALE, "belongs to another token");
	if (le64toh(h->build) != key->build)
		return entry_refuse(message, -ESTALE,
				    "was written by another build of this library");
	if (le32toh(h->contract_version) != key->contract_version)
		return entry_refuse(message, -ESTALE,
				    "was made for another version of the device contract");
	if (le32toh(h->fw_version) != key->fw_version)
		return entry_refuse(message, -ESTALE, "was made for another firmware");
	if (le32toh(h->opset_version) != key->opset_version ||
	    memcmp(h->opset, key->opset, sizeof(h->opset)))
		return entry_refuse(
			message, -ESTALE,
			"was made for another set of operations, or another build of the firmware");
	if (le32toh(h->program_version) != NNPROG_VERSION)
		return entry_refuse(message, -ESTALE,
				    "has another program format than this library");
	return 0;
}

static bool all_zero(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i])
			return false;
	return true;
}

static int check_layout(const struct nnhal_cache_header *h, const uint8_t *bytes, size_t size,
			char *message)
{
	uint64_t signature = le64toh(h->signature_size), offset = le64toh(h->program_offset);
	uint64_t end = sizeof(*h) + signature, program = le64toh(h->program_size);

	if (signature > NNHAL_CACHE_MAX_SIGNATURE || offset != program_offset(signature) ||
	    offset > size || program != size - offset || !program ||
	    le32toh(h->priority) > NNHAL_PRIORITY_HIGH ||
	    !all_zero(h->reserved, sizeof(h->reserved)) || !all_zero(bytes + end, offset - end))
		return entry_refuse(message, -EINVAL, "has inconsistent sizes or offsets");
	return 0;
}

/* Compare an argument of the program with the operand of the model. */
static bool same_argument(const struct nnprog_tensor *t, const struct nnmodel *model,
			  const struct nnmodel_operand *o)
{
	const struct nnhal_lower_type *ext = nnhal_lower_type(model, o->type);

	if (ext ? t->dtype != ext->dtype
		: nnprog_dtype_size(t->dtype) != nnmodel_type_size(o->type))
		return false;
	if (ext && !ext->is_tensor && o->rank)
		return false;
	/* the compiler may know more about an output than the model; they must not contradict */
	if (o->rank == 0 || t->rank == NNPROG_RANK_UNKNOWN)
		return true;
	if (t->rank != o->rank)
		return false;
	for (uint32_t i = 0; i < o->rank; i++)
		if (o->dims[i] && t->dims[i] != NNPROG_DIM_UNKNOWN && t->dims[i] != o->dims[i])
			return false;
	return true;
}

static bool same_list(const struct nnprog *prog, uint32_t position, uint32_t count,
		      const struct nnmodel *model, const uint32_t *list, uint32_t num)
{
	const struct nnprog_tensor *tensors = prog->tensors + prog->subgraphs[0].first_tensor;

	if (count != num)
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (!same_argument(&tensors[prog->index[position + i]], model,
				   &model->main.operands[list[i]]))
			return false;
	return true;
}

static int check_program(const struct nnhal_cache_entry *e, char *message)
{
	const struct nnmodel *m = e->model;
	struct nnprog_error err = { .text = "" };
	const struct nnprog_subgraph *sg;
	struct nnprog prog;
	int ret;

	/* the digest of the file covers its bytes */
	ret = nnprog_verify_summed(e->program, e->program_size, &prog, &err);
	if (ret) {
		nnhal_message(message, "the program in the cache file is invalid: %s", err.text);
		return ret;
	}
	sg = &prog.subgraphs[0];
	if (!same_list(&prog, sg->inputs, sg->num_inputs, m, m->main.inputs, m->main.num_inputs) ||
	    !same_list(&prog, sg->outputs, sg->num_outputs, m, m->main.outputs,
		       m->main.num_outputs))
		return entry_refuse(message, -EINVAL,
				    "has a program that does not match its signature");
	return 0;
}

int nnhal_cache_decode(const struct nnhal_cache_key *key, const void *bytes, size_t size,
		       const uint8_t digest[NNHAL_CACHE_DIGEST], struct nnhal_cache_entry *entry,
		       char *message)
{
	const struct nnhal_cache_header *h = bytes;
	int ret;

	memset(entry, 0, sizeof(*entry));
	if (size < sizeof(*h))
		return entry_refuse(message, -EKEYREJECTED, size ? "is too short" : "is empty");
	ret = check_header(key, h, digest, size, message);
	if (!ret)
		ret = check_layout(h, bytes, size, message);
	if (ret)
		return ret;
	ret = nnmodel_parse_signature(h + 1, le64toh(h->signature_size), &entry->model);
	if (ret)
		return entry_refuse(message, ret, "has a malformed signature");
	entry->program = (const uint8_t *)bytes + le64toh(h->program_offset);
	entry->program_size = le64toh(h->program_size);
	entry->priority = le32toh(h->priority);
	ret = check_program(entry, message);
	if (ret) {
		nnmodel_free(entry->model);
		entry->model = NULL;
	}
	return ret;
}

void nnhal_cache_save(struct nnhal_dev *dev, const struct nnhal_cache_target *target,
		      const struct nnmodel *model, const void *program, size_t program_size,
		      uint32_t priority)
{
	struct nnhal_cache_key key;
	struct nnhal_cache_bytes file;

	/* an earlier preparation's entry goes, whether or not this one is saved */
	if (!nnhal_cache_begin(target) || nnhal_cache_key_init(&key, dev, target->token) ||
	    nnhal_cache_encode(&key, model, program, program_size, priority, &file))
		return;
	nnhal_cache_write(target, &file);
	free(file.head);
}
