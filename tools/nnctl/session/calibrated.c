// SPDX-License-Identifier: Apache-2.0
#include "session/nnctl_session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnhal.h"

const char calibrated_never_means[] =
	"its cost counts as 1.0, the CPU's, and of equal costs the runtime takes the CPU";

enum calibrated calibrated(const char *spec, char *path, size_t size)
{
	struct nnhal_calibration_report report = { .size = sizeof(report) };
	const int ret = nnhal_calibrate(spec, NNHAL_CALIBRATE_SHOW, &report, NULL, 0);

	if (path)
		snprintf(path, size, "%s", ret ? "" : report.path);
	switch (ret) {
	case 0:
		return CALIBRATED_YES;
	case -ENOENT:
		/* also of a node that does not exist; a report has the name of a device that does
		 */
		return report.device[0] ? CALIBRATED_NEVER : CALIBRATED_UNKNOWN;
	case -EOPNOTSUPP:
		return CALIBRATED_ELSEWHERE;
	default:
		return CALIBRATED_UNKNOWN;
	}
}

const char *calibrated_remedy(const char *spec, char *text, size_t size)
{
	const char *setting = secure_getenv("NNACCEL_CALIBRATION");
	const bool off = setting && !strcmp(setting, "off");

	snprintf(text, size, "%srun nnctl calibrate --device %s",
		 off ? "unset NNACCEL_CALIBRATION, which is \"off\", and " : "", spec);
	return text;
}
