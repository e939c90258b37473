/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NNCTL_RANDOM_WEIGHTS_H
#define NNCTL_RANDOM_WEIGHTS_H

#include "nnmodel.h"

/**
 * Replace the weights of a model by random numbers with their mean, deviation, least and largest
 * value: of each tensor of constants that are real numbers, quantized or not. Scalars, shapes, axes
 * and indices stay, so does the model's structure. The numbers are the same in each run. 0, or -1
 * after a complaint.
 */
int random_weights(struct nnmodel *model);

#endif
