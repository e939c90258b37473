/* SPDX-License-Identifier: Apache-2.0 */
/* Operations of struct nnhal_device_ops that fail and do nothing else. */
#ifndef TESTS_FAILING_DEVICE_H
#define TESTS_FAILING_DEVICE_H

#include "nnhal.h"

/** What they fail with. */
static enum nnhal_status failing_with = NNHAL_GENERAL_FAILURE;

static inline enum nnhal_status failing_capabilities(struct nnhal_device *dev,
						     struct nnhal_capabilities *caps)
{
	(void)dev;
	(void)caps;
	return failing_with;
}

static inline enum nnhal_status failing_supported(struct nnhal_device *dev,
						  const struct nnmodel *model, bool *supported,
						  char **reasons, struct nnmodel_error *err)
{
	(void)dev;
	(void)model;
	(void)supported;
	(void)reasons;
	(void)err;
	return failing_with;
}

#endif
