// SPDX-License-Identifier: Apache-2.0
#include "roofline/nnctl_roofline.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Operations of one name and type, in a run. */
struct kind {
	const char *name, *type;
	unsigned int count;
	double us, macs, elements, bytes, least_us;
};

static double peak_of(const char *type, const struct peak *peak)
{
	if (!strcmp(type, "int8") || !strcmp(type, "uint8"))
		return peak->int8_gops;
	return !strcmp(type, "float32") ? peak->float_gops : 0;
}

/* us that an operation takes at least, once; 0: not known. */
static double least_us(const struct profile_op *op, const struct peak *peak)
{
	const double gops = peak_of(op->type, peak);
	double compute = 0, memory = 0;

	if (op->macs && gops > 0)
		compute = 2 * (double)op->macs / gops / 1e3;
	if (peak->read_gbs > 0)
		memory = (double)op->bytes / peak->read_gbs / 1e3;
	return compute > memory ? compute : memory;
}

/* 0 where the time is 0: shorter than the clock can tell */
static double per(double amount, double time)
{
	return time > 0 ? amount / time : 0;
}

struct roofline_row roofline_row(const struct profile_op *op, const struct peak *peak)
{
	const double us = (double)op->ns / 1e3, gops = per(2 * (double)op->macs, us) / 1e3;
	const double most = peak_of(op->type, peak);

	return (struct roofline_row){
		.us = us * op->times,
		.gops = gops,
		.of_peak = most > 0 ? gops / most : 0,
		.gbs = per((double)op->bytes, us) / 1e3,
		.of_roof = per(least_us(op, peak), us),
	};
}

static struct kind *roofline_find(struct kind *kinds, size_t *count, const struct profile_op *op)
{
	for (size_t i = 0; i < *count; i++)
		if (!strcmp(kinds[i].name, op->name) && !strcmp(kinds[i].type, op->type))
			return &kinds[i];
	kinds[*count] = (struct kind){ .name = op->name, .type = op->type };
	return &kinds[(*count)++];
}

static void roofline_add(struct kind *k, const struct profile_op *op, const struct peak *peak)
{
	k->count++;
	k->us += (double)op->ns / 1e3 * op->times;
	k->macs += (double)op->macs * op->times;
	k->elements += (double)op->elements * op->times;
	k->bytes += (double)op->bytes * op->times;
	k->least_us += least_us(op, peak) * op->times;
}

static int by_time(const void *a, const void *b)
{
	const struct kind *x = a, *y = b;

	return (x->us < y->us) - (x->us > y->us);
}

/* The kinds, longest first, and @all of them together. NULL: no memory. */
static struct kind *sum_up(const struct profile *profile, const struct peak *peak, size_t *count,
			   struct kind *all)
{
	struct kind *kinds = calloc(profile->count + 1, sizeof(*kinds));

	*count = 0;
	*all = (struct kind){ .name = "all", .type = "" };
	for (size_t i = 0; kinds && i < profile->count; i++) {
		roofline_add(roofline_find(kinds, count, &profile->ops[i]), &profile->ops[i], peak);
		roofline_add(all, &profile->ops[i], peak);
	}
	if (kinds)
		qsort(kinds, *count, sizeof(*kinds), by_time);
	return kinds;
}

/* ---- text ---- */

/* A share in percent, "-" where it is not known. */
static const char *percent(char text[16], double share)
{
	if (share > 0)
		snprintf(text, 16, "%.1f %%", 100 * share);
	else
		snprintf(text, 16, "-");
	return text;
}

/* "12.345 MMAC", or thousands of elements where there are no multiply-adds. */
static const char *roofline_work(char text[32], double macs, double elements)
{
	snprintf(text, 32, "%.3f %s", macs > 0 ? macs / 1e6 : elements / 1e3,
		 macs > 0 ? "MMAC" : "Kel ");
	return text;
}

static const char *roofline_rate(char text[32], double macs, double elements, double us)
{
	snprintf(text, 32, "%.1f %s", per(macs > 0 ? 2 * macs : elements, us) / 1e3,
		 macs > 0 ? "GOP/s" : "Gel/s");
	return text;
}

static void print_op(const struct profile_op *op, const struct peak *peak, double total)
{
	const struct roofline_row row = roofline_row(op, peak);
	const double macs = (double)op->macs, elements = (double)op->elements;
	char place[32], share[16], amount[32], speed[32], of_peak[16], of_roof[16];

	snprintf(place, sizeof(place), op->graph ? "%u.%u" : "%.0u%u", op->graph, op->number);
	printf("%5s  %-24s %-8s %9.2f %8s %14s %13s %8s %9.1f %7.1f %8s\n", place, op->name,
	       op->type, row.us, percent(share, per(row.us, total)),
	       roofline_work(amount, macs, elements),
	       roofline_rate(speed, macs, elements, (double)op->ns / 1e3),
	       percent(of_peak, row.of_peak), (double)op->bytes / 1024, row.gbs,
	       percent(of_roof, row.of_roof));
}

static void print_kind(const struct kind *k, const struct peak *peak, double total)
{
	const double most = peak_of(k->type, peak);
	const double of_peak = most > 0 ? per(2 * k->macs, k->us) / 1e3 / most : 0;
	char share[16], amount[32], speed[32], peak_text[16], roof[16];

	printf("%5u  %-24s %-8s %9.2f %8s %14s %13s %8s %9.1f %7.1f %8s\n", k->count, k->name,
	       k->type, k->us, percent(share, per(k->us, total)),
	       roofline_work(amount, k->macs, k->elements),
	       roofline_rate(speed, k->macs, k->elements, k->us), percent(peak_text, of_peak),
	       k->bytes / 1024, per(k->bytes, k->us) / 1e3, percent(roof, per(k->least_us, k->us)));
}

static void print_head(const char *first)
{
	printf("%5s  %-24s %-8s %9s %8s %14s %13s %8s %9s %7s %8s\n", first, "operation", "type",
	       "us", "share", "work", "rate", "of peak", "KiB", "GB/s", "of roof");
}

void roofline_print(const struct profile *profile, const struct peak *peak, const char *isa)
{
	struct kind all, *kinds;
	size_t count;

	kinds = sum_up(profile, peak, &count, &all);
	if (!kinds)
		return;
	if (*isa)
		printf("peaks of a core, %s: int8 %.0f GOP/s, float32 %.0f GOP/s, reads %.0f GB/s\n",
		       isa, peak->int8_gops, peak->float_gops, peak->read_gbs);
	else
		puts("peaks: not known, as it is not which instructions the operations use");
	print_head("");
	for (size_t i = 0; i < profile->count; i++)
		print_op(&profile->ops[i], peak, all.us);
	print_head("count");
	for (size_t i = 0; i < count; i++)
		print_kind(&kinds[i], peak, all.us);
	print_kind(&all, peak, all.us);
	free(kinds);
}

/* ---- JSON ---- */

static void add_number(cJSON *object, const char *name, double value, bool known)
{
	if (known)
		cJSON_AddNumberToObject(object, name, value);
	else
		cJSON_AddNullToObject(object, name);
}

static cJSON *op_json(const struct profile_op *op, const struct peak *peak)
{
	const struct roofline_row row = roofline_row(op, peak);
	cJSON *j = cJSON_CreateObject();

	cJSON_AddNumberToObject(j, "graph", op->graph);
	cJSON_AddNumberToObject(j, "number", op->number);
	cJSON_AddStringToObject(j, "name", op->name);
	cJSON_AddStringToObject(j, "type", op->type);
	cJSON_AddNumberToObject(j, "us", row.us);
	cJSON_AddNumberToObject(j, "times", op->times);
	cJSON_AddNumberToObject(j, "macs", (double)op->macs);
	cJSON_AddNumberToObject(j, "elements", (double)op->elements);
	cJSON_AddNumberToObject(j, "bytes", (double)op->bytes);
	cJSON_AddNumberToObject(j, "gops", row.gops);
	cJSON_AddNumberToObject(j, "gbs", row.gbs);
	add_number(j, "of_peak", row.of_peak, row.of_peak > 0);
	add_number(j, "of_roof", row.of_roof, row.of_roof > 0);
	return j;
}

static cJSON *kind_json(const struct kind *k)
{
	cJSON *j = cJSON_CreateObject();

	cJSON_AddStringToObject(j, "name", k->name);
	cJSON_AddStringToObject(j, "type", k->type);
	cJSON_AddNumberToObject(j, "count", k->count);
	cJSON_AddNumberToObject(j, "us", k->us);
	cJSON_AddNumberToObject(j, "macs", k->macs);
	cJSON_AddNumberToObject(j, "elements", k->elements);
	cJSON_AddNumberToObject(j, "bytes", k->bytes);
	add_number(j, "least_us", k->least_us, k->least_us > 0);
	return j;
}

cJSON *roofline_json(const struct profile *profile, const struct peak *peak, const char *isa)
{
	cJSON *j = cJSON_CreateObject(), *ops, *sums;
	struct kind all, *kinds;
	size_t count;

	kinds = sum_up(profile, peak, &count, &all);
	if (!kinds) {
		cJSON_Delete(j);
		return NULL;
	}
	cJSON_AddStringToObject(j, "isa", isa);
	add_number(j, "peak_int8_gops", peak->int8_gops, peak->int8_gops > 0);
	add_number(j, "peak_float32_gops", peak->float_gops, peak->float_gops > 0);
	add_number(j, "peak_read_gbs", peak->read_gbs, peak->read_gbs > 0);
	ops = cJSON_AddArrayToObject(j, "operations");
	for (size_t i = 0; i < profile->count; i++)
		cJSON_AddItemToArray(ops, op_json(&profile->ops[i], peak));
	sums = cJSON_AddArrayToObject(j, "kinds");
	for (size_t i = 0; i < count; i++)
		cJSON_AddItemToArray(sums, kind_json(&kinds[i]));
	cJSON_AddItemToObject(j, "all", kind_json(&all));
	free(kinds);
	return j;
}
