/* SPDX-License-Identifier: Apache-2.0 */
/* Why a node stays with TensorFlow Lite, or a call fails. */
#ifndef DELEGATE_REASON_H
#define DELEGATE_REASON_H

#include "nnutil_refuse.h"

/** A reason, in a sentence without a full stop. */
struct delegate_reason {
	char text[320];
};

/** Write a reason, with a format. The value is @error. */
#define DELEGATE_REFUSE(reason, error, ...) \
	nnutil_refuse((reason)->text, sizeof((reason)->text), error, __VA_ARGS__)

#endif
