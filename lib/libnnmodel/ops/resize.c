// SPDX-License-Identifier: Apache-2.0
/* Resizing of images. */
#include "nnmodel_rows.h"

static const struct nnmodel_sig_combo bilinear[] = {
	{ 1, { F32 } },
	{ 3, { F16 } },
	{ 3, { Q8 } },
	{ 4, { Q8S } },
};
static const struct nnmodel_sig_combo nearest[] = {
	{ 3, { F32 } },
	{ 3, { F16 } },
	{ 3, { Q8 } },
	{ 4, { Q8S } },
};

/* x; width, height or their scales; NCHW; align corners; half pixel centers */
static const struct nnmodel_sig_form bilinear_forms[] = {
	{ 1, "0ii", "0" }, { 3, "0iib", "0" }, { 4, "0iibb", "0" }, { 4, "0iibbb", "0" },
	{ 3, "0ff", "0" }, { 3, "0ffb", "0" }, { 4, "0ffbb", "0" }, { 4, "0ffbbb", "0" },
};
static const struct nnmodel_sig_form nearest_forms[] = {
	{ 3, "0iib", "0" }, { 4, "0iibb", "0" }, { 4, "0iibbb", "0" },
	{ 3, "0ffb", "0" }, { 4, "0ffbb", "0" }, { 4, "0ffbbb", "0" },
};

static const struct nnmodel_sig sigs[] = {
	NNMODEL_SIG(RESIZE_BILINEAR, 1, bilinear, bilinear_forms, "4", NULL),
	NNMODEL_SIG(RESIZE_NEAREST_NEIGHBOR, 3, nearest, nearest_forms, "4", NULL),
};
NNMODEL_FAMILY(resize, sigs);
