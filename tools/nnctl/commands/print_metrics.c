// SPDX-License-Identifier: Apache-2.0
/* "nnctl metrics": the cards and their clients, for Prometheus. */
#include "commands/nnctl_commands.h"
#include "monitor/nnctl_monitor.h"
#include "nnutil_clock.h"
#include "session/nnctl_session.h"

int cmd_metrics(int argc, char **argv)
{
	struct usage usage;
	struct options o;
	int ret = options_parse(&o, argc, argv, "root");

	if (ret)
		return ret;
	ret = usage_take(&usage, o.root, nnutil_monotonic_ns(), NULL);
	if (!ret)
		metrics_print(&usage);
	usage_free(&usage);
	return ret ? 1 : 0;
}
