/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of a client: a length and a pointer, which may be NULL although the length is not 0. That
 * is the vendor library's to refuse, so both travel. Private to the codec.
 */
#ifndef NNIPC_HAL_CODEC_LISTS_H
#define NNIPC_HAL_CODEC_LISTS_H

#include "wire/marshal.h"

/** The length, and whether elements follow. */
void nnipc_put_list(struct nnipc_writer *w, const void *list, uint32_t count);
/**
 * True: elements follow, *@count of them, which take at least @least bytes each. False: none;
 * *@count is any number, 0 if malformed.
 */
bool nnipc_get_list(struct nnipc_reader *r, size_t least, uint32_t *count);
/** @count zeroed elements for nnipc_get_list(); NULL: none, or the reader failed and *@count is 0.
 */
void *nnipc_list_alloc(struct nnipc_reader *r, uint32_t *count, size_t size);

void nnipc_put_numbers(struct nnipc_writer *w, const uint32_t *numbers, uint32_t count);
/** malloc'ed; NULL: none, absent, or malformed. */
uint32_t *nnipc_get_numbers(struct nnipc_reader *r, uint32_t *count);

#endif
