// SPDX-License-Identifier: Apache-2.0
#include "probes/nnctl_probes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnutil_text.h"

#define MAX_RANK 16
#define MAX_CHANNELS 64
#define MAX_VALUES 32
#define MAX_INPUTS 64
#define MAX_OUTPUTS 8

static const struct {
	const char *name;
	uint32_t type;
} names[] = {
	{ "F32", NNMODEL_TENSOR_FLOAT32 },
	{ "F16", NNMODEL_TENSOR_FLOAT16 },
	{ "I32", NNMODEL_TENSOR_INT32 },
	{ "Q8", NNMODEL_TENSOR_QUANT8_ASYMM },
	{ "Q8S", NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED },
	{ "Q8Y", NNMODEL_TENSOR_QUANT8_SYMM },
	{ "QPC", NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL },
	{ "Q16S", NNMODEL_TENSOR_QUANT16_SYMM },
	{ "Q16A", NNMODEL_TENSOR_QUANT16_ASYMM },
	{ "B8", NNMODEL_TENSOR_BOOL8 },
	{ "f32", NNMODEL_FLOAT32 },
	{ "f16", NNMODEL_FLOAT16 },
	{ "i32", NNMODEL_INT32 },
	{ "u32", NNMODEL_UINT32 },
	{ "bool", NNMODEL_BOOL },
};

#define NUM_NAMES (sizeof(names) / sizeof(names[0]))

static const char *const values_names[] = {
	[PROBE_VALUES_POSITIVE] = "positive",	[PROBE_VALUES_NONZERO] = "nonzero",
	[PROBE_VALUES_SMALL] = "small",		[PROBE_VALUES_ZERO] = "zero",
	[PROBE_VALUES_ASCENDING] = "ascending", [PROBE_VALUES_BOXES] = "boxes",
	[PROBE_VALUES_PICTURE] = "picture",	[PROBE_VALUES_RANDOM] = "random",
};

/* An operand as the text describes it. */
struct operand {
	uint32_t type;
	/* whether the type is a column's, and the first's: details that do not fit it are ignored
	 */
	bool column, first;
	bool omitted, constant, has_scale;
	uint32_t rank, dims[MAX_RANK];
	float scale;
	int32_t zero_point;
	uint32_t channel;
	uint32_t num_values;
	double values[MAX_VALUES];
	enum probe_values kind; /* of an operand without values */
};

const char *probe_type_name(uint32_t type)
{
	for (size_t i = 0; i < NUM_NAMES; i++)
		if (names[i].type == type)
			return names[i].name;
	return "?";
}

static uint32_t find_type(const char *text, size_t len)
{
	for (size_t i = 0; i < NUM_NAMES; i++)
		if (strlen(names[i].name) == len && !strncmp(names[i].name, text, len))
			return names[i].type;
	return NNMODEL_TYPE_COUNT;
}

int probe_parse_types(const char **text, struct probe_types *types)
{
	const char *p = *text;

	types->num = 0;
	for (size_t i = 0; i < PROBE_COLUMNS; i++)
		types->type[i] = NNMODEL_TYPE_COUNT;
	do {
		const size_t len = strcspn(p, ", ");

		if (types->num == PROBE_COLUMNS)
			return -EINVAL;
		types->type[types->num] = find_type(p, len);
		if (types->type[types->num++] == NNMODEL_TYPE_COUNT)
			return -EINVAL;
		p += len;
	} while (*p++ == ',');
	p--;
	*text = p + strspn(p, " ");
	return 0;
}

bool probe_takes_scale(uint32_t type)
{
	return type == NNMODEL_TENSOR_QUANT8_ASYMM || type == NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED ||
	       type == NNMODEL_TENSOR_QUANT8_SYMM || type == NNMODEL_TENSOR_QUANT16_SYMM ||
	       type == NNMODEL_TENSOR_QUANT16_ASYMM;
}

static uint32_t short_type(char letter, uint32_t first)
{
	switch (letter) {
	case 'i':
		return NNMODEL_INT32;
	case 'b':
		return NNMODEL_BOOL;
	case 'f':
		return first == NNMODEL_TENSOR_FLOAT16 ? NNMODEL_FLOAT16 : NNMODEL_FLOAT32;
	case 'p':
		return first == NNMODEL_TENSOR_FLOAT16	 ? NNMODEL_FLOAT16
		       : first == NNMODEL_TENSOR_FLOAT32 ? NNMODEL_FLOAT32
							 : NNMODEL_INT32;
	case 'I':
		return NNMODEL_TENSOR_INT32;
	default:
		return NNMODEL_TYPE_COUNT;
	}
}

/* The type at the front of an operand, of @len letters. */
static bool parse_type(const char *text, size_t len, const struct probe_types *types,
		       struct operand *o)
{
	if (len == 1 && *text >= '0' && *text < '0' + PROBE_COLUMNS) {
		o->column = true;
		o->first = *text == '0';
		o->type = types->type[*text - '0'];
	} else {
		o->type = len == 1 ? short_type(*text, types->type[0]) : find_type(text, len);
	}
	return o->type != NNMODEL_TYPE_COUNT;
}

/* Parse a number and advance behind it. False: there is no number. */
static bool parse_value(const char **text, double *value)
{
	char *end;

	*value = strtod(*text, &end);
	if (end == *text)
		return false;
	*text = end;
	return true;
}

/* Decimal only: "0x4" is two dims. */
static bool parse_dims(const char **text, struct operand *o)
{
	uint64_t dim;

	do {
		++*text;
		if (o->rank == MAX_RANK || nnutil_scan_u64(text, 10, 0, 1000000, &dim))
			return false;
		o->dims[o->rank++] = (uint32_t)dim;
	} while (**text == 'x');
	return true;
}

static bool parse_scale(const char **text, struct operand *o)
{
	double value;

	++*text;
	if (!parse_value(text, &value))
		return false;
	o->has_scale = true;
	o->scale = (float)value;
	if (**text != ',')
		return true;
	++*text;
	if (!parse_value(text, &value))
		return false;
	o->zero_point = (int32_t)value;
	return true;
}

static bool parse_values(const char **text, struct operand *o)
{
	o->constant = true;
	do {
		++*text;
		if (o->num_values == MAX_VALUES || !parse_value(text, &o->values[o->num_values++]))
			return false;
	} while (**text == ',');
	return true;
}

static bool parse_kind(const char **text, struct operand *o)
{
	const size_t len = strcspn(++*text, " ");

	for (size_t i = PROBE_VALUES_ANY + 1; i < sizeof(values_names) / sizeof(values_names[0]);
	     i++) {
		if (strlen(values_names[i]) != len || strncmp(values_names[i], *text, len))
			continue;
		o->kind = (enum probe_values)i;
		*text += len;
		return true;
	}
	return false;
}

static bool parse_operand(const char *text, size_t len, const struct probe_types *types,
			  struct operand *o)
{
	const char *end = text + len;
	double channel;

	memset(o, 0, sizeof(*o));
	if (*text == '~') {
		o->omitted = true;
		text++;
	}
	len = strcspn(text, ":@/=^ ");
	if (!parse_type(text, len, types, o))
		return false;
	text += len;
	if (*text == ':' && !parse_dims(&text, o))
		return false;
	if (*text == '@' && !parse_scale(&text, o))
		return false;
	if (*text == '/') {
		text++;
		if (!parse_value(&text, &channel) || channel < 0 || channel >= o->rank)
			return false;
		o->channel = (uint32_t)channel;
	}
	if (*text == '=' && !parse_values(&text, o))
		return false;
	if (*text == '^' && !parse_kind(&text, o))
		return false;
	return text == end;
}

/* Add what the type needs, and remove what it cannot have. */
static void suit_type(struct operand *o)
{
	if (probe_takes_scale(o->type)) {
		if (!o->has_scale)
			o->scale = 0.5f;
	} else if (o->first || (o->column && o->type != NNMODEL_TENSOR_INT32)) {
		o->scale = 0;
		o->zero_point = 0;
	}
}

static int set_channels(struct nnmodel *model, uint32_t n, const struct operand *o)
{
	float scales[MAX_CHANNELS];
	const uint32_t count = o->channel < o->rank ? o->dims[o->channel] : 0;

	if (!count || count > MAX_CHANNELS)
		return -EINVAL;
	for (uint32_t i = 0; i < count; i++)
		scales[i] = 0.5f;
	return nnmodel_set_channel_quant(model, n, o->channel, scales, count);
}

static int set_values(struct nnmodel *model, uint32_t n, const struct operand *o)
{
	const size_t size = nnmodel_type_size(o->type);
	uint8_t bytes[MAX_VALUES * 4];

	for (uint32_t i = 0; i < o->num_values; i++) {
		const float f = (float)o->values[i];
		const _Float16 h = (_Float16)o->values[i];
		const int32_t integer = (int32_t)o->values[i]; /* little-endian: the low bytes */
		const void *from = &integer;

		if (o->type == NNMODEL_FLOAT32 || o->type == NNMODEL_TENSOR_FLOAT32)
			from = &f;
		else if (o->type == NNMODEL_FLOAT16 || o->type == NNMODEL_TENSOR_FLOAT16)
			from = &h;
		memcpy(bytes + i * size, from, size);
	}
	return nnmodel_set_value(model, n, bytes, o->num_values * size);
}

/* Number of the operand, or -errno. */
static int add_operand(struct nnmodel *model, struct operand *o, uint32_t lifetime)
{
	int n, ret = 0;

	suit_type(o);
	if (o->omitted)
		lifetime = NNMODEL_NO_VALUE;
	n = nnmodel_add_operand(model, o->type, lifetime, o->dims, o->rank, o->scale,
				o->zero_point);
	if (n >= 0 && o->type == NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL && !o->omitted)
		ret = set_channels(model, (uint32_t)n, o);
	if (n >= 0 && !ret && o->constant)
		ret = set_values(model, (uint32_t)n, o);
	return ret ? ret : n;
}

int probe_add_operand(struct nnmodel *model, const struct probe_types *types, const char *text,
		      uint32_t lifetime)
{
	struct operand o;

	if (!parse_operand(text, strcspn(text, " "), types, &o))
		return -EINVAL;
	return add_operand(model, &o, lifetime);
}

enum probe_values probe_operand_values(const char *text)
{
	const char *kind = text + strcspn(text, "^ ");
	struct operand o = { 0 };

	return *kind == '^' && parse_kind(&kind, &o) ? o.kind : PROBE_VALUES_ANY;
}

/* Add the operands of a list to @list, and the inputs or outputs of the model to @io. */
struct operands {
	uint32_t list[MAX_INPUTS], io[MAX_INPUTS];
	uint32_t num, num_io, max;
	uint32_t lifetime;
};

static int add_list(struct nnmodel *model, const char *text, const struct probe_types *types,
		    struct operands *l, char *error, size_t error_size)
{
	struct operand o;

	while (*text) {
		const size_t len = strcspn(text, " ");
		int n = -EINVAL;

		if (l->num < l->max && parse_operand(text, len, types, &o))
			n = add_operand(model, &o, l->lifetime);
		if (n < 0) {
			snprintf(error, error_size, "operand \"%.*s\": %s", (int)len, text,
				 strerror(-n));
			return n;
		}
		l->list[l->num++] = (uint32_t)n;
		if (!o.omitted && !o.constant)
			l->io[l->num_io++] = (uint32_t)n;
		text += len;
		text += strspn(text, " ");
	}
	return 0;
}

struct nnmodel *probe_parse_model(uint32_t opcode, const struct probe_types *types, const char *in,
				  const char *out, char *error, size_t error_size)
{
	struct operands inputs = { .max = MAX_INPUTS, .lifetime = NNMODEL_SUBGRAPH_INPUT };
	struct operands outputs = { .max = MAX_OUTPUTS, .lifetime = NNMODEL_SUBGRAPH_OUTPUT };
	struct nnmodel *model = nnmodel_new();
	int ret;

	snprintf(error, error_size, "out of memory");
	if (!model)
		return NULL;
	ret = add_list(model, in, types, &inputs, error, error_size);
	if (!ret)
		ret = add_list(model, out, types, &outputs, error, error_size);
	if (!ret) {
		ret = nnmodel_add_operation(model, opcode, inputs.list, inputs.num, outputs.list,
					    outputs.num);
		if (ret >= 0)
			ret = nnmodel_set_io(model, inputs.io, inputs.num_io, outputs.io,
					     outputs.num_io);
		if (ret < 0)
			snprintf(error, error_size, "%s", strerror(-ret));
	}
	if (ret >= 0)
		return model;
	nnmodel_free(model);
	return NULL;
}
