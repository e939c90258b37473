/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples of the values and messages of an interface, which lib/idl makes: sample 0 has
 * something everywhere, 1 nothing, 2 what a careless client gives.
 */
#ifndef IDL_SAMPLE_H
#define IDL_SAMPLE_H

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "wire/nnipc_wire.h"

#define IDL_SAMPLES 3u

/** A struct or a message, and what tests and fuzz targets do with it. */
struct sample_row {
	const char *name;
	uint32_t method; /* whose arguments or results it is; 0: a part of a message */
	bool results;
	void (*put)(struct nnipc_writer *w, uint32_t sample);
	/* read it and write what was read; @w NULL: only read */
	void (*copy)(struct nnipc_reader *r, struct nnipc_writer *w);
	/* read it; the member that is not as in the sample, or NULL */
	const char *(*compare)(struct nnipc_reader *r, uint32_t sample);
};

/** Another number each time, above 0. One thread. */
uint32_t sample_number(void);
/** The numbers begin again: a value that is filled once more is the same. */
void sample_restart(void);
/** A descriptor that all samples share; it stays open. */
int sample_fd(void);

static inline char *sample_text(void)
{
	static const char *const texts[] = { "one text", "vendor.name", NULL, "" };

	return (char *)texts[sample_number() % 4];
}

static inline char *sample_required_text(void)
{
	char *text = sample_text();

	return text ? text : (char *)"";
}

static inline bool bytes_differ(const void *a, const void *b, size_t size)
{
	return !a != !b || (a && size && memcmp(a, b, size));
}

static inline const char *text_differs(const void *one, const void *other)
{
	const char *a = *(char *const *)one, *b = *(char *const *)other;

	return !a != !b || (a && strcmp(a, b)) ? "text" : NULL;
}

static inline const char *fd_differs(const void *one, const void *other)
{
	const int a = *(const int *)one, b = *(const int *)other;
	struct stat x, y;

	if (a < 0 || b < 0)
		return a < 0 && b < 0 ? NULL : "descriptor";
	return fstat(a, &x) || fstat(b, &y) || x.st_dev != y.st_dev || x.st_ino != y.st_ino
		       ? "descriptor"
		       : NULL;
}

/** @differs NULL: bytes are compared. */
static inline bool list_differs(const void *a, const void *b, uint32_t count, size_t size,
				const char *(*differs)(const void *a, const void *b))
{
	if (!a || !b || !differs)
		return bytes_differ(a, b, count * size);
	for (uint32_t i = 0; i < count; i++)
		if (differs((const char *)a + i * size, (const char *)b + i * size))
			return true;
	return false;
}

/*
 * idl_checks.c: cmocka's assertions about every sample of every row, and that no descriptor is
 * left.
 */

/** The bytes are read and written again: they are the same. */
void idl_check_round_trips(const struct sample_row *rows, size_t count);
/** The bytes cut at each place are refused. */
void idl_check_cut(const struct sample_row *rows, size_t count);
/** With each bit changed, bytes that are accepted are written as bytes that mean the same. */
void idl_check_flips(const struct sample_row *rows, size_t count);
/** A reader that has failed gives empty values, and takes no descriptor. */
void idl_check_failed(const struct sample_row *rows, size_t count);
/** Every member arrives: the bytes are read into a value that is as the one that was written. */
void idl_check_members(const struct sample_row *rows, size_t count);

/** The descriptors of a message as its receiver has them; idl_drop_fds() them. */
int *idl_receive_fds(const struct nnipc_writer *w);
void idl_drop_fds(int *fds, uint32_t count);

#endif
