/* SPDX-License-Identifier: Apache-2.0 */
/* "nnctl doctor" on devices behind other processes. */
#ifndef NNCTL_PROCESS_CHECK_H
#define NNCTL_PROCESS_CHECK_H

struct nnhal_device_info;

/** The layers that the sandbox of a device's worker lacks; "": none, or there is no sandbox. */
const char *missing_layers(const struct nnhal_device_info *info);
/** Start a worker, and say which layers its sandbox has on this machine. */
void check_worker(void);
/** The service nnaccel-hald, and the devices behind it. */
void check_service(void);

#endif
