/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NNIPC_NAMESPACES_H
#define NNIPC_NAMESPACES_H

#include <stdint.h>

/**
 * nnipc_namespaces_enter() - put this process into namespaces of its own
 * @made: set to them: enum nnipc_layer
 *
 * The process has one thread. The pid namespace is that of its children: the first one is its init.
 * Namespaces that the machine refuses are left out. The user stays the same one, and has no
 * capability beyond what the mount namespace needs.
 *
 * Why not by clone(), before the program starts: a process that is not dumpable, as programs with
 * secrets make themselves, may not write its own user map, nor may what shares its memory. A
 * program that has just been started is dumpable.
 *
 * Return: 0; -errno: the process is of no use any more.
 */
int nnipc_namespaces_enter(uint32_t *made);

#endif
