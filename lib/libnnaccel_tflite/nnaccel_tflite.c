// SPDX-License-Identifier: Apache-2.0
/*
 * libnnaccel_tflite.so: the entry points that TensorFlow Lite looks for in an external delegate.
 * Documentation/tflite-delegate.rst.
 */
#include <stdlib.h>

#include "delegate_choice.h"
#include "delegate_kernel.h"
#include "device_names.h"
#include "nnaccel_runtime.h"
#include "nnutil_refuse.h"

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

/* It is one for the process, so another part of it may have come before. */
static bool set_isolation(const struct delegate_settings *settings, char *message, size_t size)
{
	if (!settings->isolation ||
	    nnaccelRuntime_setIsolation(settings->isolation) == ANEURALNETWORKS_NO_ERROR)
		return true;
	nnutil_refuse(
		message, size, 0,
		"nnaccel: option \"isolation\" is \"%s\": this process uses NNAPI with another "
		"isolation already; create this delegate first, or set NNAPI_ISOLATION",
		settings->isolation);
	return false;
}

/* The devices are looked up here, so that a wrong name fails before any model. */
static bool check_devices(const struct delegate_settings *settings, char *message, size_t size)
{
	const ANeuralNetworksDevice *devices[RUNTIME_MAX_DEVICES];
	uint32_t count;

	return runtime_devices_find(settings->devices, devices, &count, message, size) ==
	       ANEURALNETWORKS_NO_ERROR;
}

struct tfl_delegate *tflite_plugin_create_delegate(const char *const *keys,
						   const char *const *values, size_t count,
						   void (*report_error)(const char *text))
{
	struct delegate *d = calloc(1, sizeof(*d));
	char message[256] = "nnaccel: out of memory";

	if (d &&
	    delegate_settings_read(&d->settings, keys, values, count, message, sizeof(message)) &&
	    set_isolation(&d->settings, message, sizeof(message)) &&
	    check_devices(&d->settings, message, sizeof(message))) {
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
