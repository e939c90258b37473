// SPDX-License-Identifier: Apache-2.0
/* The options of an operation. */
#include "importer.h"

int8_t import_option_byte(const struct import *im, unsigned int field, int8_t def)
{
	return fb_i8(&im->op->options, field, def);
}

int32_t import_option_int(const struct import *im, unsigned int field, int32_t def)
{
	return fb_i32(&im->op->options, field, def);
}

float import_option_float(const struct import *im, unsigned int field, float def)
{
	return fb_f32(&im->op->options, field, def);
}
