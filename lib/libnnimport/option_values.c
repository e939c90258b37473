// SPDX-License-Identifier: Apache-2.0
/* The options of an operation: fields of a table in a file, or the list of an operator of a graph.
 */
#include "importer.h"

static const struct nnimport_graph_option *option_find(const struct import *im, unsigned int field)
{
	for (uint32_t i = 0; i < im->op->num_values; i++)
		if (im->op->values[i].field == field)
			return &im->op->values[i];
	return NULL;
}

int8_t import_option_byte(const struct import *im, unsigned int field, int8_t def)
{
	const struct nnimport_graph_option *o = option_find(im, field);

	if (!o)
		return fb_i8(&im->op->options, field, def);
	return o->integer < INT8_MIN || o->integer > INT8_MAX ? INT8_MAX : (int8_t)o->integer;
}

int32_t import_option_int(const struct import *im, unsigned int field, int32_t def)
{
	const struct nnimport_graph_option *o = option_find(im, field);

	return o ? o->integer : fb_i32(&im->op->options, field, def);
}

float import_option_float(const struct import *im, unsigned int field, float def)
{
	const struct nnimport_graph_option *o = option_find(im, field);

	return o ? o->real : fb_f32(&im->op->options, field, def);
}
