/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Models from a line of text, and plans as text, for the tests of compilations.
 *
 * rt_graph("ab>d", "c=ADD(a,b) d=ABS(c)", NULL) is a model with inputs a and b and output d.
 * Operands are letters:
 *	a..h	TENSOR_FLOAT32 of one dimension, 4 elements or as set by rt_graph_elements()
 *	A..H	the same of unknown size
 *	p q	TENSOR_BOOL8 of one element
 *	x y z	constant TENSOR_FLOAT32 with the value 2, 3, 4 in each element
 *	0..9	the models of the list that follows, for IF and WHILE
 * Fused activations are added where an operation has one.
 */
#ifndef RT_GRAPH_H
#define RT_GRAPH_H

#include "rt_case.h"
#include "plan/nnr_plan.h"

ANeuralNetworksModel *rt_graph(const char *io, const char *operations,
			       ANeuralNetworksModel *const *models);
/** Elements of tensors in models made from now on. */
void rt_graph_elements(uint32_t elements);
/** The last made model's operands as the application numbered them; NNR_NONE: no such letter. */
uint32_t rt_graph_operand(char letter);
/** Relax float32 to float16 in models made from now on. */
void rt_graph_relaxed(bool relaxed);

/**
 * The plan: for each graph, in order, its nodes: "a:ADD+MUL b:ABS" where devices are named before
 * their operations, "if(1,2)" and "while(1,2)" for what the runtime runs, with numbers of graphs;
 * graphs are separated by " | ". A simple plan begins with "=". Static until the next call.
 */
const char *rt_plan_text(const ANeuralNetworksCompilation *compilation);

/** Compile for all devices (@devices NULL), or a list of names with blanks between them.
 * *@compilation: finished, whatever the result. Result code of finish(). */
int rt_finish(ANeuralNetworksModel *model, const char *devices,
	      ANeuralNetworksCompilation **compilation);
/** createForDevices() of such a list. */
ANeuralNetworksCompilation *rt_compilation(ANeuralNetworksModel *model, const char *devices);

#endif
