// SPDX-License-Identifier: Apache-2.0
/*
 * Matching an operation's operands with its signature. Of all forms and combinations that have the
 * right number of operands the one that agrees longest is taken, so that the refusal names the
 * wrong operand and the types that are possible in its place.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "nnmodel_rows.h"

#define NONE UINT32_MAX

/* Whether a list of @n operands fits @pattern. */
static bool pattern_takes(const char *pattern, uint32_t n)
{
	const size_t len = strlen(pattern);

	return strchr(pattern, '*') ? n + 1 >= len : n == len;
}

/* Letter of operand @i of @n; the list fits the pattern. */
static char pattern_letter(const char *pattern, uint32_t n, uint32_t i)
{
	const char *star = strchr(pattern, '*');
	uint32_t repeated, extra;

	if (!star)
		return pattern[i];
	repeated = (uint32_t)(star - pattern) - 1; /* position of the letter that repeats */
	extra = n + 1 - (uint32_t)strlen(pattern); /* how often it repeats beyond once */
	if (i <= repeated)
		return pattern[i];
	if (i <= repeated + extra)
		return pattern[repeated];
	return pattern[i - extra + 1];
}

static uint32_t letter_type(char letter, const struct nnmodel_sig_combo *combo)
{
	switch (letter) {
	case '0':
	case '1':
	case '2':
	case '3':
		return combo->types[letter - '0'];
	case 'i':
		return NNMODEL_INT32;
	case 'b':
		return NNMODEL_BOOL;
	case 'f':
		return combo->types[0] == F16 ? NNMODEL_FLOAT16 : NNMODEL_FLOAT32;
	case 'p':
		return combo->types[0] == F16	? NNMODEL_FLOAT16
		       : combo->types[0] == F32 ? NNMODEL_FLOAT32
						: NNMODEL_INT32;
	case 'I':
		return I32;
	}
	return NONE;
}

/* Type that operand @k (inputs, then outputs) must have. */
static uint32_t wanted_type(const struct nnmodel_sig_context *c, uint32_t k,
			    const struct nnmodel_sig_form *form,
			    const struct nnmodel_sig_combo *combo)
{
	const uint32_t num_in = c->op->num_inputs;

	if (k < num_in)
		return letter_type(pattern_letter(form->in, num_in, k), combo);
	return letter_type(pattern_letter(form->out, c->op->num_outputs, k - num_in), combo);
}

static uint32_t operand_number(const struct nnmodel_sig_context *c, uint32_t k)
{
	return k < c->op->num_inputs ? c->op->inputs[k] : c->op->outputs[k - c->op->num_inputs];
}

/* Number of leading operands whose types agree. */
static uint32_t agreement(const struct nnmodel_sig_context *c, const struct nnmodel_sig_form *form,
			  const struct nnmodel_sig_combo *combo)
{
	const uint32_t n = c->op->num_inputs + c->op->num_outputs;
	uint32_t k;

	for (k = 0; k < n; k++)
		if (c->graph->operands[operand_number(c, k)].type != wanted_type(c, k, form, combo))
			break;
	return k;
}

/* "1, 2 or 3" of the counts that the forms take. */
static void describe_counts(const struct nnmodel_sig *sig, bool inputs, uint32_t num_inputs,
			    char *text, size_t size)
{
	size_t used = 0;
	uint32_t i, k;

	text[0] = 0;
	for (i = 0; i < sig->num_forms && used + 1 < size; i++) {
		const char *pattern = inputs ? sig->forms[i].in : sig->forms[i].out;
		const char *star = strchr(pattern, '*');
		const size_t len = strlen(pattern) - (star ? 1 : 0);
		bool repeated = false;

		if (!inputs && !pattern_takes(sig->forms[i].in, num_inputs))
			continue;
		for (k = 0; k < i; k++)
			if ((inputs || pattern_takes(sig->forms[k].in, num_inputs)) &&
			    strlen(inputs ? sig->forms[k].in : sig->forms[k].out) ==
				    strlen(pattern))
				repeated = true;
		if (repeated)
			continue;
		used += (size_t)snprintf(text + used, size - used, "%s%zu%s", used ? ", " : "", len,
					 star ? " or more" : "");
	}
}

static int refuse_counts(const struct nnmodel_sig_context *c, const struct nnmodel_sig *sig)
{
	bool inputs_fit = false;
	char counts[48];
	uint32_t i;

	for (i = 0; i < sig->num_forms; i++)
		inputs_fit |= pattern_takes(sig->forms[i].in, c->op->num_inputs);
	describe_counts(sig, !inputs_fit, c->op->num_inputs, counts, sizeof(counts));
	if (inputs_fit)
		return nnmodel_sig_refuse(c, NONE, "%u outputs, takes %s", c->op->num_outputs,
					  counts);
	return nnmodel_sig_refuse(c, NONE, "%u inputs, takes %s", c->op->num_inputs, counts);
}

/* Operand @k is wrong in every form and combination that agrees before it. */
static int refuse_type(const struct nnmodel_sig_context *c, const struct nnmodel_sig *sig,
		       uint32_t k)
{
	const uint32_t num_in = c->op->num_inputs;
	const uint32_t n = operand_number(c, k);
	uint32_t listed = 0; /* types that the text names already */
	size_t used = 0;
	char types[72] = "";
	uint32_t f, t;

	for (f = 0; f < sig->num_forms; f++) {
		if (!pattern_takes(sig->forms[f].in, num_in) ||
		    !pattern_takes(sig->forms[f].out, c->op->num_outputs))
			continue;
		for (t = 0; t < sig->num_combos; t++) {
			uint32_t type;

			if (agreement(c, &sig->forms[f], &sig->combos[t]) < k)
				continue;
			type = wanted_type(c, k, &sig->forms[f], &sig->combos[t]);
			if (type >= 32 || (listed & 1u << type) || used + 1 >= sizeof(types))
				continue;
			listed |= 1u << type;
			used += (size_t)snprintf(types + used, sizeof(types) - used, "%s%s",
						 used ? " or " : "", nnmodel_type_name(type));
		}
	}
	return nnmodel_sig_refuse(c, n, "%s %u (operand %u) is %s, not %s",
				  k < num_in ? "input" : "output", k < num_in ? k : k - num_in, n,
				  nnmodel_type_name(c->graph->operands[n].type), types);
}

static int check_ranks(const struct nnmodel_sig_context *c, const char *ranks)
{
	uint32_t i;

	for (i = 0; ranks[i] && i < c->op->num_inputs; i++) {
		const uint32_t rank = nnmodel_sig_in(c, i)->rank;

		if (!rank || ranks[i] == '.')
			continue;
		if (ranks[i] == '<' ? rank > 4 : rank != (uint32_t)(ranks[i] - '0'))
			return nnmodel_sig_refuse(c, c->op->inputs[i],
						  "input %u (operand %u) has rank %u, must be %s%c",
						  i, c->op->inputs[i], rank,
						  ranks[i] == '<' ? "at most " : "",
						  ranks[i] == '<' ? '4' : ranks[i]);
	}
	return 0;
}

int nnmodel_sig_validate(const struct nnmodel_op_row *row, const struct nnmodel *model,
			 const struct nnmodel_subgraph *graph, const struct nnmodel_operation *op,
			 uint32_t *feature_level, struct nnmodel_error *err)
{
	const struct nnmodel_sig *sig =
		(const struct nnmodel_sig *)((const char *)row - offsetof(struct nnmodel_sig, row));
	struct nnmodel_sig_context c = {
		.model = model,
		.graph = graph,
		.op = op,
		.feature_level = feature_level,
		.err = err,
	};
	uint32_t total, best = 0, f, t;
	bool counts_fit = false;
	int ret;

	/* before the sum: both are the client's */
	if (__builtin_add_overflow(op->num_inputs, op->num_outputs, &total))
		return nnmodel_sig_refuse(&c, NONE, "too many operands");
	for (f = 0; f < sig->num_forms && !c.form; f++) {
		const struct nnmodel_sig_form *form = &sig->forms[f];

		if (!pattern_takes(form->in, op->num_inputs) ||
		    !pattern_takes(form->out, op->num_outputs))
			continue;
		counts_fit = true;
		for (t = 0; t < sig->num_combos; t++) {
			const uint32_t n = agreement(&c, form, &sig->combos[t]);

			if (n > best)
				best = n;
			if (n == total) {
				c.form = form;
				c.combo = &sig->combos[t];
				break;
			}
		}
	}
	if (!counts_fit)
		return refuse_counts(&c, sig);
	if (!c.form)
		return refuse_type(&c, sig, best);
	if (sig->ranks) {
		ret = check_ranks(&c, sig->ranks);
		if (ret)
			return ret;
	}
	nnmodel_raise_level(feature_level, c.form->feature_level);
	nnmodel_raise_level(feature_level, c.combo->feature_level);
	return sig->check ? sig->check(&c) : 0;
}

int nnmodel_sig_check_alike(const struct nnmodel_sig_context *c)
{
	const struct nnmodel_operand *in = nnmodel_sig_in(c, 0), *out = nnmodel_sig_out(c, 0);

	if (in->scale != out->scale || in->zero_point != out->zero_point)
		return nnmodel_sig_refuse(c, c->op->outputs[0],
					  "output (operand %u) and input differ in quantization",
					  c->op->outputs[0]);
	if (in->rank && out->rank && in->rank != out->rank)
		return nnmodel_sig_refuse(c, c->op->outputs[0],
					  "output (operand %u) has rank %u, the input %u",
					  c->op->outputs[0], out->rank, in->rank);
	return 0;
}
