// SPDX-License-Identifier: Apache-2.0
#include "input.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnctl.h"

#define MAX_INPUT	(1u << 30)

/* Store a real number in the input's own type. */
static void store_real(struct session_tensor *t, size_t i, double real)
{
	uint8_t *p = (uint8_t *)t->data + i * tflite_type_size(t->info.type);
	double low = t->info.type == TFLITE_INT8 ? -128 : 0, high = low + 255, q = real;
	_Float16 half = (_Float16)real;
	int32_t word;
	float f = (float)real;

	switch (t->info.type) {
	case TFLITE_FLOAT32:
		memcpy(p, &f, sizeof(f));
		break;
	case TFLITE_FLOAT16:
		memcpy(p, &half, sizeof(half));
		break;
	case TFLITE_INT32:
		word = (int32_t)fmin(fmax(real, INT32_MIN), INT32_MAX);
		memcpy(p, &word, sizeof(word));
		break;
	default:
		if (t->scale > 0)
			q = round(real / t->scale) + t->zero_point;
		*p = (uint8_t)(int)fmin(fmax(q, low), high);
	}
}

static double pixel(const struct picture *p, uint32_t x, uint32_t y, uint32_t c, uint32_t channels)
{
	const uint8_t *rgb = p->rgb + ((size_t)y * p->width + x) * 3;

	/* Grey by the usual weights (ITU-R BT.601). */
	return channels == 1 ? 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2] : rgb[c];
}

/* Bilinear with pixel centres; a picture of the right size comes through unchanged. */
static double sample(const struct picture *p, double x, double y, uint32_t c, uint32_t channels)
{
	double fx = fmin(fmax(x, 0), p->width - 1), fy = fmin(fmax(y, 0), p->height - 1);
	uint32_t x0 = (uint32_t)fx, y0 = (uint32_t)fy;
	uint32_t x1 = x0 + 1 < p->width ? x0 + 1 : x0, y1 = y0 + 1 < p->height ? y0 + 1 : y0;
	double dx = fx - x0, dy = fy - y0;

	return (pixel(p, x0, y0, c, channels) * (1 - dx) + pixel(p, x1, y0, c, channels) * dx) * (1 - dy) +
	       (pixel(p, x0, y1, c, channels) * (1 - dx) + pixel(p, x1, y1, c, channels) * dx) * dy;
}

static int load_picture(struct session_tensor *t, const struct picture *p, const char *path,
			const struct input_options *options)
{
	uint32_t height, width, channels;
	size_t i = 0;

	if (t->info.rank != 4 || t->info.dims[0] != 1 || (t->info.dims[3] != 1 && t->info.dims[3] != 3)) {
		complain("%s: the model's input is not a picture [1, height, width, 1 or 3]", path);
		return -1;
	}
	height = (uint32_t)t->info.dims[1];
	width = (uint32_t)t->info.dims[2];
	channels = (uint32_t)t->info.dims[3];
	for (uint32_t y = 0; y < height; y++)
		for (uint32_t x = 0; x < width; x++)
			for (uint32_t c = 0; c < channels; c++, i++) {
				double v = sample(p, (x + 0.5) * p->width / width - 0.5,
						  (y + 0.5) * p->height / height - 0.5, c, channels);

				if (t->info.type == TFLITE_UINT8)
					((uint8_t *)t->data)[i] = (uint8_t)lrint(v);
				else if (t->info.type == TFLITE_INT8)
					((int8_t *)t->data)[i] = (int8_t)(lrint(v) - 128);
				else
					store_real(t, i, (v - options->mean) / options->std);
			}
	return 0;
}

/* The header's value after a key, e.g. "'descr':"; NULL when it is not there. */
static const char *npy_value(const char *header, const char *key)
{
	const char *p = strstr(header, key);

	if (!p)
		return NULL;
	p += strlen(key);
	while (*p == ' ' || *p == ':')
		p++;
	return p;
}

static double npy_element(const char *descr, const uint8_t *p)
{
	uint16_t u16;
	_Float16 half;
	int64_t i64;
	int32_t i32;
	double d;
	float f;

	switch (descr[0]) {
	case 'f':
		if (descr[1] == '2')
			return memcpy(&half, p, 2), (double)half;
		if (descr[1] == '4')
			return memcpy(&f, p, 4), (double)f;
		return memcpy(&d, p, 8), d;
	case 'i':
		if (descr[1] == '1')
			return (int8_t)*p;
		if (descr[1] == '2')
			return memcpy(&u16, p, 2), (int16_t)u16;
		if (descr[1] == '4')
			return memcpy(&i32, p, 4), (double)i32;
		return memcpy(&i64, p, 8), (double)i64;
	case 'u':
		if (descr[1] == '2')
			return memcpy(&u16, p, 2), u16;
		return *p;
	default:
		return *p != 0;
	}
}

static int load_npy(struct session_tensor *t, const uint8_t *bytes, size_t size, const char *path)
{
	static const char *const known[] = { "f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "b1" };
	size_t start = bytes[6] == 1 ? 10 : 12, length, count = session_elements(t), element = 0;
	const char *descr, *order;
	char header[1024] = "";
	bool as_is;

	if (size < start)
		goto bad;
	length = start == 10 ? bytes[8] | (size_t)bytes[9] << 8 :
			       bytes[8] | (size_t)bytes[9] << 8 | (size_t)bytes[10] << 16 |
				       (size_t)bytes[11] << 24;
	if (length >= sizeof(header) || length > size - start)
		goto bad;
	memcpy(header, bytes + start, length);
	descr = npy_value(header, "'descr'");
	order = npy_value(header, "'fortran_order'");
	if (!descr || !order || *descr != '\'' || !strchr("<|=", descr[1])) {
		complain("%s: not little-endian numbers", path);
		return -1;
	}
	descr += 2;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strncmp(descr, known[i], 2))
			element = (size_t)(descr[1] - '0');
	if (!element || strncmp(order, "False", 5)) {
		complain("%s: %s", path, element ? "Fortran order" : "an element type that is not read");
		return -1;
	}
	if ((size - start - length) / element != count || (size - start - length) % element) {
		complain("%s: %zu elements, but the input has %zu", path,
			 (size - start - length) / element, count);
		return -1;
	}
	/* Integers for an integer input are what is stored; reals are quantized. */
	as_is = descr[0] != 'f' && t->info.type != TFLITE_FLOAT32 && t->info.type != TFLITE_FLOAT16;
	for (size_t i = 0; i < count; i++) {
		double v = npy_element(descr, bytes + start + length + i * element);

		store_real(t, i, as_is && t->scale > 0 ? (v - t->zero_point) * t->scale : v);
	}
	return 0;
bad:
	complain("%s: its .npy header is cut short", path);
	return -1;
}

int input_load(struct session_tensor *t, const char *path, const struct input_options *options)
{
	struct picture picture = { 0 };
	size_t size = 0;
	uint8_t *bytes = read_file(path, MAX_INPUT, &size);
	bool png, jpeg;
	int ret;

	if (!bytes)
		return -1;
	png = size >= 8 && !memcmp(bytes, "\x89PNG\r\n\x1a\n", 8);
	jpeg = size >= 3 && !memcmp(bytes, "\xff\xd8\xff", 3);
	/* Raw bytes may begin like anything: the exact size decides. */
	if (size == t->size) {
		memcpy(t->data, bytes, size);
		ret = 0;
	} else if (png || jpeg) {
		ret = png ? picture_read_png(bytes, size, path, &picture) :
			    picture_read_jpeg(bytes, size, path, &picture);
		if (!ret)
			ret = load_picture(t, &picture, path, options);
		free(picture.rgb);
	} else if (size >= 12 && !memcmp(bytes, "\x93NUMPY", 6)) {
		ret = load_npy(t, bytes, size, path);
	} else {
		complain("%s: %zu bytes, but input %s takes %zu", path, size, t->info.name, t->size);
		ret = -1;
	}
	free(bytes);
	return ret;
}
