// SPDX-License-Identifier: Apache-2.0
#include "base/nnctl_base.h"

#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>

const char *user_name(uint32_t uid, char *text, size_t size)
{
	const struct passwd *user = getpwuid(uid);

	if (user)
		return user->pw_name;
	snprintf(text, size, "%" PRIu32, uid);
	return text;
}
