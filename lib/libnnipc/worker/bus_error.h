/* SPDX-License-Identifier: Apache-2.0 */
/* Files that become shorter than their mappings. */
#ifndef NNIPC_BUS_ERROR_H
#define NNIPC_BUS_ERROR_H

/** From now on, an access behind the end of a mapped file ends the worker with a line that says so.
 */
void nnipc_bus_error_watch(void);

#endif
