/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NNCTL_USER_NAME_H
#define NNCTL_USER_NAME_H

#include <stddef.h>
#include <stdint.h>

/** The name of a user; its number, in @text, if it has none. Valid until the next call. */
const char *user_name(uint32_t uid, char *text, size_t size);

#endif
