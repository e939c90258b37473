/* SPDX-License-Identifier: Apache-2.0 */
/* Models with control flow, from the text of model_spec.h. */
#ifndef MODEL_CONTROL_SPEC_H
#define MODEL_CONTROL_SPEC_H

#include "model_spec.h"

/** Make a model from text and append its main as the next referenced subgraph. */
uint32_t spec_add_graph(struct nnmodel *m, uint32_t opcode, const char *in, const char *out);
/** A new operand of main that names subgraph @graph. */
uint32_t spec_reference(struct nnmodel *m, uint32_t graph);
uint32_t spec_output(struct nnmodel *m, const char *text);

/**
 * 0 condition, 1 then, 2 else, 3 x, 4 y, 5 out = condition ? max(x, y) : min(x, y); Q8, shapes
 * partly known.
 */
struct nnmodel *spec_if(void);
/**
 * 0 condition, 1 body, 2 x (in and out), 3 limit (input only), 4 out. Condition: x < limit; body: x
 * = max(x, limit).
 */
struct nnmodel *spec_while(void);

#endif
