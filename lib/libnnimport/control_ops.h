/* SPDX-License-Identifier: Apache-2.0 */
/* Translation of IF and WHILE. */
#ifndef NNIMPORT_CONTROL_OPS_H
#define NNIMPORT_CONTROL_OPS_H

#include "importer.h"

int import_if(struct import *im, const struct import_row *row);
int import_while(struct import *im, const struct import_row *row);

#endif
