/* SPDX-License-Identifier: Apache-2.0 */
/* "nnctl doctor" on devices behind other processes. */
#ifndef NNCTL_PROCESS_CHECK_H
#define NNCTL_PROCESS_CHECK_H

/** Start a worker, and say which layers its sandbox has on this machine. */
void check_worker(void);
/** The service nnaccel-hald, and the devices behind it. */
void check_service(void);

#endif
