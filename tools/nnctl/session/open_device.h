/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device without the runtime: opening it, with a message about a card that cannot be used, and
 * preparing a model on it.
 */
#ifndef NNCTL_OPEN_DEVICE_H
#define NNCTL_OPEN_DEVICE_H

#include "nnhal.h"

/**
 * Open @spec with nnhal_open(). NULL: the first card, else the in-process device; when a card
 * cannot be opened, a warning on standard error says so once per process. Any thread.
 */
int device_open(const char *spec, struct nnhal_device **dev, char *message, size_t size);

/**
 * Call @found with @spec, with each device behind a process that it names ("worker",
 * "service=SOCKET"), or, if it is NULL, with each device that can be used now, also by the service,
 * until it returns nonzero.
 *
 * Return: 0, what @found returned, or -errno with @message.
 */
int device_each(const char *spec, int (*found)(void *cookie, const char *spec), void *cookie,
		char *message, size_t size);

/** The socket of nnaccel-hald: NNACCEL_SERVICE, else where the unit has it. */
const char *service_socket(void);
/** Whether there is such a socket. Only opening a device shows whether a service answers. */
bool service_listens(void);

/**
 * When the runtime chooses the devices: print a line for each card that cannot be opened, once in
 * the process.
 */
void device_warn(void);

/**
 * Prepare @model with default preference and priority, and wait. *@prepared is set with NNHAL_NONE,
 * else @message has the reason. With @show, progress is shown.
 */
enum nnhal_status prepare_and_wait(struct nnhal_device *dev, const struct nnmodel *model, bool show,
				   struct nnhal_prepared_model **prepared, char *message,
				   size_t size);

#endif
