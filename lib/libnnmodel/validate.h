/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the validation that readers of bytes use as well. Private to libnnmodel. */
#ifndef NNMODEL_VALIDATE_H
#define NNMODEL_VALIDATE_H

#include "nnmodel.h"

/**
 * Names and prefixes of a model's extensions, as nnmodel_validate() judges them. 0, -EINVAL,
 * -ENOMEM.
 */
int nnmodel_validate_extensions(const struct nnmodel *model);

#endif
