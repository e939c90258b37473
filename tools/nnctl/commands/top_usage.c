// SPDX-License-Identifier: Apache-2.0
/*
 * "nnctl top": the cards and their clients. On a terminal a view that goes on, elsewhere one table;
 * CSV goes on everywhere. Rates are those of the time between two readings.
 */
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include "base/nnctl_base.h"
#include "commands/nnctl_commands.h"
#include "monitor/nnctl_monitor.h"
#include "nnutil_clock.h"
#include "session/nnctl_session.h"

static void top_usage_show(struct screen *screen, const struct options *o,
			   const struct usage *usage)
{
	const double time = (double)nnutil_clock_ns(CLOCK_REALTIME) / 1e9;

	if (o->json)
		usage_print_json(usage, time);
	else if (o->csv)
		usage_print_csv(usage, time);
	else
		usage_draw(screen, usage);
}

static int top_usage_watch(struct screen *screen, const struct options *o)
{
	const bool once = o->once || o->json || (!o->csv && !screen->live);
	struct usage before, now;
	bool more = true;
	int ret = usage_take(&before, o->root, nnutil_monotonic_ns(), NULL);

	if (!ret && o->csv)
		usage_print_csv_header();
	while (!ret && more) {
		more = screen_wait(screen, (int)(o->interval * 1000)) && !once;
		ret = usage_take(&now, o->root, nnutil_monotonic_ns(), &before);
		if (!ret)
			top_usage_show(screen, o, &now);
		/* main() reports it */
		more = more && !ferror(stdout);
		usage_free(&before);
		before = now;
	}
	if (!ret && once && !before.num_cards) {
		complain("no card of the driver nnaccel; nnctl doctor says what to do");
		ret = -1;
	}
	usage_free(&before);
	return ret ? 1 : 0;
}

int cmd_top(int argc, char **argv)
{
	struct screen screen;
	struct options o;
	int ret = options_parse(&o, argc, argv, "once csv json interval root");

	if (ret)
		return ret;
	if (o.csv && o.json)
		return usage("--csv and --json exclude each other");
	if (screen_begin(&screen, 0))
		return 1;
	screen.live = screen.live && !o.csv && !o.json;
	if (!o.once)
		screen_keys(&screen);
	ret = top_usage_watch(&screen, &o);
	screen_close(&screen);
	return ret;
}
