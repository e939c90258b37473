// SPDX-License-Identifier: Apache-2.0
/* PNG and JPEG to RGB, by libpng's simplified interface and libjpeg. */
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <png.h>

#include "base/nnctl_base.h"
#include "session/nnctl_session.h"

/* Larger than any camera; keeps a small hostile file from asking for gigabytes. */
#define MAX_SIDE 16384u
#define MAX_PIXELS (64u << 20)

static bool size_is_sane(uint32_t width, uint32_t height, const char *name)
{
	if (width && height && width <= MAX_SIDE && height <= MAX_SIDE &&
	    (uint64_t)width * height <= MAX_PIXELS)
		return true;
	complain("%s: %u x %u pixels; a picture has 1 to 16384 on a side and 64 Mi in all", name,
		 width, height);
	return false;
}

int picture_read_png(const void *bytes, size_t size, const char *name, struct picture *p)
{
	png_image image = { .version = PNG_IMAGE_VERSION };

	memset(p, 0, sizeof(*p));
	if (!png_image_begin_read_from_memory(&image, bytes, size)) {
		complain("%s: %s", name, image.message);
		return -1;
	}
	image.format = PNG_FORMAT_RGB;
	if (!size_is_sane(image.width, image.height, name)) {
		png_image_free(&image);
		return -1;
	}
	p->rgb = malloc(PNG_IMAGE_SIZE(image));
	/* Transparent pixels over black, as if the picture lay on it. */
	if (!p->rgb || !png_image_finish_read(&image, &(png_color){ 0, 0, 0 }, p->rgb, 0, NULL)) {
		complain("%s: %s", name, p->rgb ? image.message : "out of memory");
		png_image_free(&image);
		free(p->rgb);
		p->rgb = NULL;
		return -1;
	}
	p->width = image.width;
	p->height = image.height;
	return 0;
}

struct jpeg_failure {
	struct jpeg_error_mgr mgr;
	jmp_buf jump;
	char message[JMSG_LENGTH_MAX];
};

static void jpeg_fail(j_common_ptr info)
{
	struct jpeg_failure *f = (struct jpeg_failure *)info->err;

	info->err->format_message(info, f->message);
	longjmp(f->jump, 1);
}

static void jpeg_quiet(j_common_ptr info, int level)
{
	(void)info;
	(void)level;
}

int picture_read_jpeg(const void *bytes, size_t size, const char *name, struct picture *p)
{
	struct jpeg_decompress_struct info;
	struct jpeg_failure failure;
	uint8_t *volatile rgb = NULL;

	memset(p, 0, sizeof(*p));
	memset(&info, 0, sizeof(info));
	info.err = jpeg_std_error(&failure.mgr);
	failure.mgr.error_exit = jpeg_fail;
	failure.mgr.emit_message = jpeg_quiet;
	if (setjmp(failure.jump)) {
		complain("%s: %s", name, failure.message);
		goto fail;
	}
	jpeg_create_decompress(&info);
	jpeg_mem_src(&info, bytes, size);
	jpeg_read_header(&info, TRUE);
	if (!size_is_sane(info.image_width, info.image_height, name))
		goto fail;
	info.out_color_space = JCS_RGB;
	jpeg_start_decompress(&info);
	rgb = malloc((size_t)info.output_width * info.output_height * 3);
	if (!rgb) {
		complain("%s: out of memory", name);
		goto fail;
	}
	while (info.output_scanline < info.output_height) {
		JSAMPROW row = rgb + (size_t)info.output_scanline * info.output_width * 3;

		jpeg_read_scanlines(&info, &row, 1);
	}
	p->width = info.output_width;
	p->height = info.output_height;
	p->rgb = rgb;
	jpeg_finish_decompress(&info);
	jpeg_destroy_decompress(&info);
	return 0;
fail:
	jpeg_destroy_decompress(&info);
	free(rgb);
	p->rgb = NULL;
	return -1;
}
