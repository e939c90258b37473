// SPDX-License-Identifier: Apache-2.0
/*
 * libnnaccel_tflite.so: the entry points that TensorFlow Lite looks for in an external delegate.
 * Documentation/tflite-delegate.rst.
 */
#include <stdlib.h>

#include "delegate.h"
#include "delegate_common.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT struct tfl_delegate *tflite_plugin_create_delegate(const char *const *keys,
							  const char *const *values, size_t count,
							  void (*report_error)(const char *text));
EXPORT void tflite_plugin_destroy_delegate(struct tfl_delegate *delegate);

/* For each graph that the delegate is applied to. */
static int delegate_prepare(struct tfl_context *context, struct tfl_delegate *base)
{
	struct delegate *d = (struct delegate *)base;
	struct tfl_int_array *chosen;
	int status = delegate_choose(context, &d->settings, &chosen);

	if (status == TFL_OK && chosen->size)
		status = context->replace_nodes(context, delegate_kernel, chosen, base);
	free(chosen);
	return status;
}

struct tfl_delegate *tflite_plugin_create_delegate(const char *const *keys,
						   const char *const *values, size_t count,
						   void (*report_error)(const char *text))
{
	struct delegate *d = calloc(1, sizeof(*d));
	char message[256] = "nnaccel: out of memory";

	if (d &&
	    delegate_settings_read(&d->settings, keys, values, count, message, sizeof(message)) &&
	    delegate_settings_apply(&d->settings, message, sizeof(message))) {
		d->base = (struct tfl_delegate){
			.data = d,
			.prepare = delegate_prepare,
			.flags = TFL_ALLOW_DYNAMIC_TENSORS | TFL_REQUIRE_PROPAGATED_SHAPES,
		};
		return &d->base;
	}
	if (report_error)
		report_error(message);
	if (d)
		delegate_settings_clear(&d->settings);
	free(d);
	return NULL;
}

void tflite_plugin_destroy_delegate(struct tfl_delegate *base)
{
	struct delegate *d = (struct delegate *)base;

	if (!d)
		return;
	delegate_settings_clear(&d->settings);
	free(d);
}
