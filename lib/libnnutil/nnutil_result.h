/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NNUTIL_RESULT_H
#define NNUTIL_RESULT_H

/**
 * Name of NNAPI's result code (ANEURALNETWORKS_*) without its prefix, "BAD_DATA"; "unknown result":
 * it is none.
 */
const char *nnutil_result_name(int result);

#endif
