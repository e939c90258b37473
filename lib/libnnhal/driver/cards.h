/* SPDX-License-Identifier: Apache-2.0 */
/* Finding the accel nodes of the nnaccel driver. Private to libnnhal. */
#ifndef NNHAL_CARDS_H
#define NNHAL_CARDS_H

/**
 * Call @found with "accelN" for each node of our driver, until it returns nonzero. First come the
 * nodes that udev knows, in its order; then those that sysfs does not show, as in a container that
 * hides /sys: each is opened. Of these, one that may not be opened counts as ours, so that opening
 * it gives the reason; one of another driver does not.
 *
 * Return: 0, what @found returned, or -ENOMEM.
 */
int nnhal_cards_each(int (*found)(void *cookie, const char *spec), void *cookie);

#endif
