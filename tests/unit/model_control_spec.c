// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "model_control_spec.h"
#include "test_case.h"

uint32_t spec_add_graph(struct nnmodel *m, uint32_t opcode, const char *in, const char *out)
{
	struct nnmodel *part = spec_model(opcode, in, out);

	const size_t base = (m->values_size + 63) & ~(size_t)63;
	struct nnmodel_subgraph *g;

	m->referenced = realloc(m->referenced, (m->num_referenced + 1) * sizeof(*m->referenced));
	assert_non_null(m->referenced);
	g = &m->referenced[m->num_referenced];
	*g = part->main;
	part->main = (struct nnmodel_subgraph){ 0 };
	/* the model now owns the constants of the part */
	if (part->values_size) {
		m->values = realloc(m->values, base + part->values_size);
		assert_non_null(m->values);
		memset(m->values + m->values_size, 0, base - m->values_size);
		memcpy(m->values + base, part->values, part->values_size);
		m->values_size = base + part->values_size;
		for (uint32_t i = 0; i < g->num_operands; i++)
			if (g->operands[i].lifetime == NNMODEL_CONSTANT_COPY)
				g->operands[i].location.offset += base;
	}
	nnmodel_free(part);
	return m->num_referenced++;
}

uint32_t spec_reference(struct nnmodel *m, uint32_t graph)
{
	const int n =
		nnmodel_add_operand(m, NNMODEL_SUBGRAPH, NNMODEL_LIFETIME_SUBGRAPH, NULL, 0, 0, 0);

	assert_true(n >= 0);
	m->main.operands[n].location.offset = graph;
	return (uint32_t)n;
}

uint32_t spec_output(struct nnmodel *m, const char *text)
{
	const uint32_t n = spec_operand(m, text);

	m->main.operands[n].lifetime = NNMODEL_SUBGRAPH_OUTPUT;
	return n;
}

struct nnmodel *spec_if(void)
{
	struct nnmodel *m = nnmodel_new();

	assert_non_null(m);
	spec_operand(m, "B8:1");
	spec_reference(m, 0);
	spec_reference(m, 1);
	spec_operand(m, "Q8:2x3@0.5,7");
	spec_operand(m, "Q8:0x3");
	spec_output(m, "Q8:2x3@2,1");
	spec_add_graph(m, NNMODEL_MAXIMUM, "Q8:2x3@0.5,7 Q8:2x0", "Q8:2x3@2,1");
	spec_add_graph(m, NNMODEL_MINIMUM, "Q8@0.5,7 Q8:2x3", "Q8@2,1");
	assert_int_equal(nnmodel_add_operation(m, NNMODEL_IF, (uint32_t[]){ 0, 1, 2, 3, 4 }, 5,
					       (uint32_t[]){ 5 }, 1),
			 0);
	spec_set_io(m);
	return m;
}

struct nnmodel *spec_while(void)
{
	struct nnmodel *m = nnmodel_new();

	assert_non_null(m);
	spec_reference(m, 0);
	spec_reference(m, 1);
	spec_operand(m, "F32:1");
	spec_operand(m, "F32:1");
	spec_output(m, "F32:1");
	spec_add_graph(m, NNMODEL_LESS, "F32:1 F32:1", "B8:1");
	spec_add_graph(m, NNMODEL_MAXIMUM, "F32:1 F32:1", "F32:1");
	assert_int_equal(nnmodel_add_operation(m, NNMODEL_WHILE, (uint32_t[]){ 0, 1, 2, 3 }, 4,
					       (uint32_t[]){ 4 }, 1),
			 0);
	spec_set_io(m);
	return m;
}
