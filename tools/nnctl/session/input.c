// SPDX-License-Identifier: Apache-2.0
#include "session/nnctl_session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nnctl_base.h"

#define MAX_INPUT (1u << 30)

static void store_float(struct session_tensor *t, size_t i, double real)
{
	if (t->info.type == NNIMPORT_FLOAT16)
		((_Float16 *)t->data)[i] = (_Float16)real;
	else
		((float *)t->data)[i] = (float)real;
}

static double input_pixel(const struct picture *p, uint32_t x, uint32_t y, uint32_t c,
			  uint32_t channels)
{
	const uint8_t *rgb = p->rgb + ((size_t)y * p->width + x) * 3;

	/* Luma of ITU-R BT.601. */
	return channels == 1 ? 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2] : rgb[c];
}

/* Bilinear, with pixel centres: a picture of the input's size stays unchanged. */
static double input_sample(const struct picture *p, double x, double y, uint32_t c,
			   uint32_t channels)
{
	double fx = fmin(fmax(x, 0), p->width - 1), fy = fmin(fmax(y, 0), p->height - 1);
	uint32_t x0 = (uint32_t)fx, y0 = (uint32_t)fy;
	uint32_t x1 = x0 + 1 < p->width ? x0 + 1 : x0, y1 = y0 + 1 < p->height ? y0 + 1 : y0;
	double dx = fx - x0, dy = fy - y0;

	return (input_pixel(p, x0, y0, c, channels) * (1 - dx) +
		input_pixel(p, x1, y0, c, channels) * dx) *
		       (1 - dy) +
	       (input_pixel(p, x0, y1, c, channels) * (1 - dx) +
		input_pixel(p, x1, y1, c, channels) * dx) *
		       dy;
}

static int load_picture(struct session_tensor *t, const struct picture *p, const char *path,
			const struct input_options *options)
{
	uint32_t height, width, channels;
	size_t i = 0;

	if (t->info.rank != 4 || t->info.dims[0] != 1 ||
	    (t->info.dims[3] != 1 && t->info.dims[3] != 3)) {
		complain("%s: a picture needs a model input of shape [1, height, width, 1 or 3]",
			 path);
		return -1;
	}
	if (t->info.type != NNIMPORT_UINT8 && t->info.type != NNIMPORT_INT8 &&
	    t->info.type != NNIMPORT_FLOAT32 && t->info.type != NNIMPORT_FLOAT16) {
		complain("%s: a picture needs an 8-bit or float input, but input %s is %s", path,
			 t->info.name, nnimport_type_name(t->info.type));
		return -1;
	}
	height = (uint32_t)t->info.dims[1];
	width = (uint32_t)t->info.dims[2];
	channels = (uint32_t)t->info.dims[3];
	for (uint32_t y = 0; y < height; y++)
		for (uint32_t x = 0; x < width; x++)
			for (uint32_t c = 0; c < channels; c++, i++) {
				double v = input_sample(p, (x + 0.5) * p->width / width - 0.5,
							(y + 0.5) * p->height / height - 0.5, c,
							channels);

				if (t->info.type == NNIMPORT_UINT8)
					((uint8_t *)t->data)[i] = (uint8_t)lrint(v);
				else if (t->info.type == NNIMPORT_INT8)
					((int8_t *)t->data)[i] = (int8_t)(lrint(v) - 128);
				else
					store_float(t, i, (v - options->mean) / options->std);
			}
	return 0;
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
	/* A file of exactly the input's size is raw, whatever it begins with. */
	if (size == t->info.size) {
		memcpy(t->data, bytes, size);
		ret = 0;
	} else if (png || jpeg) {
		ret = png ? picture_read_png(bytes, size, path, &picture)
			  : picture_read_jpeg(bytes, size, path, &picture);
		if (!ret)
			ret = load_picture(t, &picture, path, options);
		free(picture.rgb);
	} else if (npy_is(bytes, size)) {
		ret = npy_load(t, bytes, size, path);
	} else {
		complain("%s: the file has %zu bytes, but input %s takes %zu", path, size,
			 t->info.name, t->info.size);
		ret = -1;
	}
	free(bytes);
	return ret;
}
