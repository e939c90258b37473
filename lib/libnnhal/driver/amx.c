// SPDX-License-Identifier: Apache-2.0
/* Whether the device in process may use AMX: the application (nnhal_use_amx()), or its user. */
#include "driver/nnhal_driver.h"

#include <stdatomic.h>
#include <string.h>

#include "nnutil_text.h"
#include "nnutil_log.h"
#include "values/nnhal_values.h"

#include "nnhal.h"

static atomic_bool refused;

NNHAL_EXPORT void nnhal_use_amx(bool use)
{
	atomic_store(&refused, !use);
}

bool nnhal_amx_wanted(void)
{
	const char *text = nnutil_env_text("NNACCEL_AMX");

	if (text && strcmp(text, "0") != 0 && strcmp(text, "1") != 0)
		nnutil_log(NNUTIL_LOG_ERROR, "NNACCEL_AMX=%.64s is ignored: it must be 0 or 1",
			   text);
	return !atomic_load(&refused) && !(text && !strcmp(text, "0"));
}
