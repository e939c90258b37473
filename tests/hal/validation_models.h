/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The models that test_validation.c mutates: some chains of operations, every operation of
 * tests/unit's cases alone and with a reader of what it writes, and control flow, of which each
 * subgraph in turn is mutated.
 */
#ifndef VALIDATION_MODELS_H
#define VALIDATION_MODELS_H

#include "model_op_cases.h"

struct validation_model {
	char name[160];
	/*
	 * what may be left out or have another type: of its first operation; NULL: not from the
	 * cases
	 */
	const struct op_case *op;
	struct nnmodel *(*make)(void);
	bool chained;
	uint32_t graph; /* the mutated one: 0 main, 1 + i referenced[i] */
};

/**
 * Number @k; false beyond the last. Models that are chained only exist where the output's type
 * allows it.
 */
bool validation_model_at(size_t k, struct validation_model *vm);
/** A valid model, its mutated graph in the place of main; NULL: there is no such chain. */
struct nnmodel *validation_model_make(const struct validation_model *vm);
/** Exchange the mutated graph and main, there and back. */
void validation_model_turn(const struct validation_model *vm, struct nnmodel *m);

#endif
