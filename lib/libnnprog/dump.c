// SPDX-License-Identifier: Apache-2.0
/* A program as text: a line a tensor list, a line an operation. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnprog_opcode.h"
#include "nnprog_verify.h"
#include "control_flow.h"
#include "verify.h"

/** Most elements of a list, most bytes of a name that are printed. */
#define MAX_LIST 32u
#define MAX_NAME 64u

static void dump_name(FILE *f, const char *s)
{
	for (uint32_t i = 0; s[i] && i < MAX_NAME; i++)
		fputc(isprint((unsigned char)s[i]) ? s[i] : '?', f);
}

static void dump_tensor(FILE *f, const struct nnprog *prog, const struct nnprog_subgraph *sg,
			uint32_t n)
{
	static const char *const kinds[NNPROG_KIND_COUNT] = { "%", "in%", "out%", "const%", "" };
	const struct nnprog_tensor *t = &prog->tensors[sg->first_tensor + n];

	if (t->kind == NNPROG_OMITTED) {
		fputs("omitted", f);
		return;
	}
	fprintf(f, "%s%u:%s", kinds[t->kind], n, nnprog_dtype_name(t->dtype));
	if (t->rank > NNPROG_MAX_RANK) {
		fputs("[*]", f);
	} else {
		fputc('[', f);
		for (uint32_t i = 0; i < t->rank; i++) {
			if (i)
				fputc(',', f);
			if (t->dims[i] == NNPROG_DIM_UNKNOWN)
				fputc('?', f);
			else
				fprintf(f, "%u", t->dims[i]);
		}
		fputc(']', f);
	}
	if (t->num_scales)
		fprintf(f, "{per channel %u}", t->channel_dim);
	else if (t->scale != 0)
		fprintf(f, "{%.9g,%d}", (double)t->scale, t->zero_point);
	if (t->kind == NNPROG_TEMP && t->offset != NNPROG_NO_OFFSET)
		fprintf(f, "@%llu", (unsigned long long)t->offset);
}

static void dump_list(FILE *f, const struct nnprog *prog, const struct nnprog_subgraph *sg,
		      uint32_t position, uint32_t count)
{
	const uint32_t *list = nnprog_list(prog, position);

	for (uint32_t i = 0; i < count && i < MAX_LIST; i++) {
		if (i)
			fputs(", ", f);
		dump_tensor(f, prog, sg, list[i]);
	}
	if (count > MAX_LIST)
		fprintf(f, ", ... %u more", count - MAX_LIST);
}

static void dump_operation(FILE *f, const struct nnprog *prog, const struct nnprog_subgraph *sg,
			   uint32_t n)
{
	const struct nnprog_operation *op = &prog->operations[sg->first_operation + n];
	const struct nnprog_op_desc *desc = nnprog_op_find(op->opcode);
	uint32_t graphs[2];

	fprintf(f, "  %4u: ", n);
	dump_list(f, prog, sg, op->outputs, op->num_outputs);
	fputs(" = ", f);
	if (desc)
		fputs(desc->name, f);
	else
		dump_name(f, prog->strings + op->name);
	fputc('(', f);
	dump_list(f, prog, sg, op->inputs, op->num_inputs);
	fputc(')', f);
	if (nnprog_control_graphs(op->opcode, prog->attrs + op->attrs, graphs)) {
		fprintf(f,
			op->opcode == NNPROG_OP_IF ? " {then %u else %u}\n" : " {while %u do %u}\n",
			graphs[0], graphs[1]);
		return;
	}
	/* raw words: attributes of extensions have no names here */
	for (uint32_t i = 0; i + 4 <= op->attrs_size && i < 4 * MAX_LIST; i += 4) {
		int32_t word;

		memcpy(&word, prog->attrs + op->attrs + i, sizeof(word));
		fprintf(f, "%s%d", i ? " " : " {", word);
	}
	fputs(op->attrs_size >= 4 ? "}\n" : "\n", f);
}

int nnprog_dump(const struct nnprog *prog, char **text)
{
	const struct nnprog_header *h = prog->header;
	size_t size;
	FILE *f;

	*text = NULL;
	f = open_memstream(text, &size);
	if (!f)
		return -ENOMEM;
	fprintf(f, "program format %u.%u, operation set %u, %llu bytes, checksum %08x%s\n",
		h->version >> 16, h->version & 0xffff, h->opset_version,
		(unsigned long long)h->total_size, h->crc32,
		h->flags & NNPROG_FLAG_RELAXED ? ", relaxed" : "");
	fprintf(f, "constants %u bytes, arena %llu bytes\n", h->sections[NNPROG_DATA].count,
		(unsigned long long)h->arena_size);
	for (uint32_t i = 0; i < prog->num_subgraphs; i++) {
		const struct nnprog_subgraph *sg = &prog->subgraphs[i];

		fprintf(f, "subgraph %u ", i);
		dump_name(f, prog->strings + sg->name);
		fprintf(f, ": %u tensors, %u operations\n  inputs: ", sg->num_tensors,
			sg->num_operations);
		dump_list(f, prog, sg, sg->inputs, sg->num_inputs);
		fputs("\n  outputs: ", f);
		dump_list(f, prog, sg, sg->outputs, sg->num_outputs);
		fputc('\n', f);
		for (uint32_t n = 0; n < sg->num_operations; n++)
			dump_operation(f, prog, sg, n);
	}
	if (ferror(f)) {
		fclose(f);
		free(*text);
		*text = NULL;
		return -ENOMEM;
	}
	if (fclose(f)) {
		free(*text);
		*text = NULL;
		return -ENOMEM;
	}
	return 0;
}
