// SPDX-License-Identifier: Apache-2.0
#include "session/nnctl_session.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nnctl_base.h"
#include "nnutil_text.h"

#define MAX_HEADER 4096
#define MAX_RANK (NNIMPORT_MAX_RANK + 1)

struct array {
	char type[3]; /* "f4" */
	uint32_t rank;
	uint64_t dims[MAX_RANK];
	const uint8_t *data;
};

static const struct {
	enum nnimport_type tflite;
	char npy[3];
	const char *name; /* as numpy calls it */
} types[] = {
	{ NNIMPORT_FLOAT32, "f4", "float32" }, { NNIMPORT_FLOAT16, "f2", "float16" },
	{ NNIMPORT_INT32, "i4", "int32" },     { NNIMPORT_UINT8, "u1", "uint8" },
	{ NNIMPORT_INT64, "i8", "int64" },     { NNIMPORT_BOOL, "b1", "bool" },
	{ NNIMPORT_INT16, "i2", "int16" },     { NNIMPORT_INT8, "i1", "int8" },
};

static const char *wanted_type(int tflite, const char **name)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if ((int)types[i].tflite == tflite) {
			*name = types[i].name;
			return types[i].npy;
		}
	*name = "unknown";
	return "";
}

bool npy_is(const uint8_t *bytes, size_t size)
{
	return size >= 12 && !memcmp(bytes, "\x93NUMPY", 6);
}

/* The value of a key of the header, e.g. "'descr'"; NULL: the header has no such key. */
static const char *value_of(const char *header, const char *key)
{
	const char *p = strstr(header, key);

	if (!p)
		return NULL;
	p += strlen(key);
	while (*p == ' ' || *p == ':')
		p++;
	return p;
}

/* "(1, 28, 28)", "(3,)", "()" */
static bool parse_shape(const char *p, struct array *a)
{
	if (!p || *p++ != '(')
		return false;
	for (a->rank = 0;; a->rank++) {
		while (*p == ' ')
			p++;
		if (*p == ')')
			return true;
		if (a->rank == MAX_RANK ||
		    nnutil_scan_u64(&p, 10, 0, UINT64_MAX, &a->dims[a->rank]))
			return false;
		while (*p == ' ')
			p++;
		if (*p == ',')
			p++;
		else if (*p != ')')
			return false;
	}
}

static int npy_parse(struct array *a, const uint8_t *bytes, size_t size, const char *path)
{
	size_t start = bytes[6] == 1 ? 10 : 12, length, element, left;
	const char *descr, *order;
	char header[MAX_HEADER];

	length = start == 10 ? bytes[8] | (size_t)bytes[9] << 8
			     : bytes[8] | (size_t)bytes[9] << 8 | (size_t)bytes[10] << 16 |
				       (size_t)bytes[11] << 24;
	if (length >= sizeof(header) || length > size - start) {
		complain("%s: the .npy header is truncated or too long", path);
		return -1;
	}
	memcpy(header, bytes + start, length);
	header[length] = '\0';
	descr = value_of(header, "'descr'");
	order = value_of(header, "'fortran_order'");
	if (!descr || descr[0] != '\'' || !descr[1] || !strchr("<|=", descr[1]) ||
	    !isalpha((unsigned char)descr[2]) || !isdigit((unsigned char)descr[3]) ||
	    descr[3] == '0' || descr[4] != '\'') {
		complain(
			"%s: not an array of little-endian numbers; convert it with numpy's astype()",
			path);
		return -1;
	}
	memcpy(a->type, descr + 2, 2);
	a->type[2] = '\0';
	if (!order || strncmp(order, "False", 5)) {
		complain(
			"%s: its elements are in Fortran order; convert it with numpy.ascontiguousarray()",
			path);
		return -1;
	}
	if (!parse_shape(value_of(header, "'shape'"), a)) {
		complain("%s: its shape is malformed or has more than %d dimensions", path,
			 MAX_RANK);
		return -1;
	}
	element = (size_t)(a->type[1] - '0');
	left = (size - start - length) / element;
	if ((size - start - length) % element)
		left = 0;
	for (uint32_t i = 0; i < a->rank; i++) {
		if (!a->dims[i] || left % a->dims[i])
			left = 0;
		left = a->dims[i] ? left / a->dims[i] : 0;
	}
	if (left != 1) {
		complain(
			"%s: its data does not have the size of its shape; the file may be truncated",
			path);
		return -1;
	}
	a->data = bytes + start + length;
	return 0;
}

static void shape_text(char *text, size_t size, const struct array *a,
		       const struct nnimport_tensor *t)
{
	size_t at = (size_t)snprintf(text, size, "[");

	for (uint32_t i = 0; i < (a ? a->rank : t->rank) && at < size; i++)
		at += (size_t)snprintf(text + at, size - at, "%s%llu", i ? ", " : "",
				       a ? (unsigned long long)a->dims[i]
					 : (unsigned long long)t->dims[i]);
	if (at < size)
		snprintf(text + at, size - at, "]");
}

static bool same_dims(const uint64_t *a, const int32_t *b, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (a[i] != (uint64_t)b[i])
			return false;
	return true;
}

static bool shape_fits(const struct array *a, const struct nnimport_tensor *t)
{
	if (a->rank == t->rank)
		return same_dims(a->dims, t->dims, a->rank);
	if (a->rank + 1 == t->rank)
		return t->dims[0] == 1 && same_dims(a->dims, t->dims + 1, a->rank);
	return a->rank == t->rank + 1 && a->dims[0] == 1 &&
	       same_dims(a->dims + 1, t->dims, t->rank);
}

static double real_of(const char *type, const uint8_t *p)
{
	_Float16 half;
	double d;
	float f;

	if (type[1] == '2')
		return memcpy(&half, p, sizeof(half)), (double)half;
	if (type[1] == '4')
		return memcpy(&f, p, sizeof(f)), (double)f;
	return memcpy(&d, p, sizeof(d)), d;
}

static bool can_be_quantized(const struct session_tensor *t, const char *type)
{
	return t->info.scale > 0 && type[0] == 'f' && strchr("248", type[1]) &&
	       (t->info.type == NNIMPORT_INT8 || t->info.type == NNIMPORT_UINT8 ||
		t->info.type == NNIMPORT_INT16);
}

static int npy_quantize(struct session_tensor *t, const struct array *a, const char *path)
{
	double low = t->info.type == NNIMPORT_UINT8  ? 0
		     : t->info.type == NNIMPORT_INT8 ? -128
						     : -32768;
	double high = t->info.type == NNIMPORT_UINT8  ? 255
		      : t->info.type == NNIMPORT_INT8 ? 127
						      : 32767;
	size_t count = session_elements(t), element = (size_t)(a->type[1] - '0');

	for (size_t i = 0; i < count; i++) {
		double real = real_of(a->type, a->data + i * element);
		int32_t q;

		if (isnan(real)) {
			complain("%s: element %zu is NaN, which quantized input %s cannot hold",
				 path, i, t->info.name);
			return -1;
		}
		q = (int32_t)fmin(
			fmax(round(real / (double)t->info.scale) + t->info.zero_point, low), high);
		if (t->info.type == NNIMPORT_INT16)
			memcpy((int16_t *)t->data + i, &(int16_t){ (int16_t)q }, sizeof(int16_t));
		else
			((uint8_t *)t->data)[i] = (uint8_t)q;
	}
	return 0;
}

int npy_load(struct session_tensor *t, const uint8_t *bytes, size_t size, const char *path)
{
	char have[160], want[160];
	const char *type, *name;
	struct array a = { 0 };

	if (npy_parse(&a, bytes, size, path))
		return -1;
	if (!shape_fits(&a, &t->info)) {
		shape_text(have, sizeof(have), &a, NULL);
		shape_text(want, sizeof(want), NULL, &t->info);
		complain(
			"%s: its shape is %s, but input %s takes %s (a leading 1 may be missing or additional)",
			path, have, t->info.name, want);
		return -1;
	}
	type = wanted_type(t->info.type, &name);
	if (!strcmp(a.type, type)) {
		memcpy(t->data, a.data, t->info.size);
		return 0;
	}
	if (can_be_quantized(t, a.type))
		return npy_quantize(t, &a, path);
	complain(
		"%s: its elements are %s, but input %s takes %s%s: convert them with numpy's astype()",
		path, a.type, t->info.name, name,
		t->info.scale > 0 ? ", or floats, which are quantized" : "");
	return -1;
}
