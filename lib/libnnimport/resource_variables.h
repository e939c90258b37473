/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resource variables: VAR_HANDLE names one, CALL_ONCE gives the first value, READ_VARIABLE and
 * ASSIGN_VARIABLE are its use. Each becomes a variable tensor, and so a state of the model.
 */
#ifndef NNIMPORT_RESOURCE_VARIABLES_H
#define NNIMPORT_RESOURCE_VARIABLES_H

#include "importer.h"

/**
 * Before the operations of the file's first subgraph are translated: the first handle of each
 * variable becomes a variable tensor of the form of its values, and all uses name that one. 0, or
 * negative with the message.
 */
int variables_find(struct import *im);
/** Whether an operation works by what it changes, so that it is needed though nothing reads it. */
bool variables_needs(const struct tflite_operator *op);

int import_variable_handle(struct import *im, const struct import_row *row);
int import_read_variable(struct import *im, const struct import_row *row);
int import_assign_variable(struct import *im, const struct import_row *row);

#endif
