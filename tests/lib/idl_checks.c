// SPDX-License-Identifier: Apache-2.0
/* Checks of all values and messages of an interface. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "idl_sample.h"
#include "descriptors.h"
#include "test_case.h"

/* The descriptors of a message, as its receiver has them. */
int *idl_receive_fds(const struct nnipc_writer *w)
{
	int *fds = calloc(w->num_fds + 1, sizeof(*fds));

	assert_non_null(fds);
	for (uint32_t i = 0; i < w->num_fds; i++) {
		fds[i] = fcntl(w->fds[i], F_DUPFD_CLOEXEC, 0);
		assert_true(fds[i] >= 0);
	}
	return fds;
}

void idl_drop_fds(int *fds, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	free(fds);
}

/* A sample of each kind, for all that the tests do with one. */
static void for_each(const struct sample_row *rows, size_t count,
		     void (*body)(const struct sample_row *row, const struct nnipc_writer *w))
{
	for (size_t k = 0; k < count; k++) {
		for (uint32_t sample = 0; sample < IDL_SAMPLES; sample++) {
			struct nnipc_writer w = { 0 };
			uint32_t before;

			rows[k].put(&w, sample);
			assert_int_equal(w.error, 0);
			before = descriptors_open();
			body(&rows[k], &w);
			if (descriptors_open() != before)
				fail_msg("%s, sample %u: descriptors are left", rows[k].name,
					 sample);
			nnipc_writer_fini(&w);
		}
	}
}

static void check_round_trip(const struct sample_row *row, const struct nnipc_writer *w)
{
	int *fds = idl_receive_fds(w);
	struct nnipc_writer again = { 0 };
	struct nnipc_reader r;

	nnipc_reader_init(&r, w->data, w->size, fds, w->num_fds);
	row->copy(&r, &again);
	if (nnipc_reader_end(&r) || again.size != w->size || again.num_fds != w->num_fds ||
	    memcmp(again.data, w->data, w->size))
		fail_msg("%s: it is not what was sent", row->name);
	nnipc_writer_fini(&again);
	idl_drop_fds(fds, w->num_fds);
}

void idl_check_round_trips(const struct sample_row *rows, size_t count)
{
	for_each(rows, count, check_round_trip);
}

static void check_cut(const struct sample_row *row, const struct nnipc_writer *w)
{
	for (size_t size = 0; size < w->size; size++) {
		int *fds = idl_receive_fds(w);
		uint8_t *exact = malloc(size + !size);
		struct nnipc_reader r;

		assert_non_null(exact);
		memcpy(exact, w->data, size);
		nnipc_reader_init(&r, exact, size, fds, w->num_fds);
		row->copy(&r, NULL);
		if (nnipc_reader_end(&r) != -EBADMSG)
			fail_msg("%s: %zu of %zu bytes are accepted", row->name, size, w->size);
		free(exact);
		idl_drop_fds(fds, w->num_fds);
	}
}

void idl_check_cut(const struct sample_row *rows, size_t count)
{
	for_each(rows, count, check_cut);
}

/* What is read from other bytes, if anything, is written as bytes that mean the same. */
static void check_flips(const struct sample_row *row, const struct nnipc_writer *w)
{
	uint8_t *copy = malloc(w->size);

	assert_non_null(copy);
	memcpy(copy, w->data, w->size);
	for (size_t bit = 0; bit < 8 * w->size; bit++) {
		struct nnipc_writer once = { 0 }, twice = { 0 };
		int *fds = idl_receive_fds(w), *more = NULL;
		struct nnipc_reader r;

		copy[bit / 8] ^= (uint8_t)(1 << bit % 8);
		nnipc_reader_init(&r, copy, w->size, fds, w->num_fds);
		row->copy(&r, &once);
		if (!nnipc_reader_end(&r)) {
			/* its descriptors are closed by now; others will do */
			for (uint32_t i = 0; i < once.num_fds; i++) {
				if (once.owned[i])
					close(once.fds[i]);
				once.owned[i] = false;
				once.fds[i] = sample_fd();
			}
			more = idl_receive_fds(&once);
			nnipc_reader_init(&r, once.data, once.size, more, once.num_fds);
			row->copy(&r, &twice);
			if (nnipc_reader_end(&r) || twice.size != once.size ||
			    memcmp(twice.data, once.data, once.size))
				fail_msg("%s: bit %zu makes two values", row->name, bit);
			idl_drop_fds(more, once.num_fds);
		}
		copy[bit / 8] ^= (uint8_t)(1 << bit % 8);
		nnipc_writer_fini(&once);
		nnipc_writer_fini(&twice);
		idl_drop_fds(fds, w->num_fds);
	}
	free(copy);
}

void idl_check_flips(const struct sample_row *rows, size_t count)
{
	for_each(rows, count, check_flips);
}

/* A reader that has failed: every getter gives an empty value, and takes no descriptor. */
static void check_failed(const struct sample_row *row, const struct nnipc_writer *w)
{
	int *fds = idl_receive_fds(w);
	struct nnipc_reader r;

	nnipc_reader_init(&r, w->data, w->size, fds, w->num_fds);
	nnipc_reader_no_memory(&r);
	row->copy(&r, NULL);
	assert_int_equal(nnipc_reader_end(&r), -ENOMEM);
	assert_int_equal(r.next_fd, 0);
	idl_drop_fds(fds, w->num_fds);
}

void idl_check_failed(const struct sample_row *rows, size_t count)
{
	for_each(rows, count, check_failed);
}

/* Every member arrives: the bytes are read into a value that is as the one that was written. */
void idl_check_members(const struct sample_row *rows, size_t count)
{
	for (size_t k = 0; k < count; k++) {
		for (uint32_t sample = 0; sample < IDL_SAMPLES; sample++) {
			const struct sample_row *row = &rows[k];
			struct nnipc_writer w = { 0 };
			const char *difference;
			struct nnipc_reader r;
			int *fds;

			sample_restart();
			row->put(&w, sample);
			sample_restart();
			fds = idl_receive_fds(&w);
			nnipc_reader_init(&r, w.data, w.size, fds, w.num_fds);
			difference = row->compare(&r, sample);
			if (nnipc_reader_end(&r) || difference)
				fail_msg("%s, sample %u: %s is another one", row->name, sample,
					 difference ? difference : "the end");
			idl_drop_fds(fds, w.num_fds);
			nnipc_writer_fini(&w);
		}
	}
}
