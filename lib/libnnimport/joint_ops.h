/* SPDX-License-Identifier: Apache-2.0 */
/* Operations that put all inputs beside each other along an axis. */
#ifndef NNIMPORT_JOINT_OPS_H
#define NNIMPORT_JOINT_OPS_H

#include "importer.h"

int import_concatenation(struct import *im, const struct import_row *row);
int import_pack(struct import *im, const struct import_row *row);

#endif
