// SPDX-License-Identifier: Apache-2.0
/* Fault specifications as text; used by the slot and by the card. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "board.h"
#include "nnutil_text.h"

enum fault_argument { ARG_NONE, ARG_JOB, ARG_JOB_MS, ARG_NONSENSE, ARG_TIMES, ARG_MS };

static const struct {
	const char *name;
	enum fault_argument argument;
} modes[FAULT_MODE_COUNT] = {
	[FAULT_NONE] = { "none", ARG_NONE },
	[FAULT_DIE] = { "die-at-job", ARG_JOB },
	[FAULT_HANG] = { "hang-at-job", ARG_JOB },
	[FAULT_HANG_ABORTABLE] = { "hang-abortable", ARG_JOB },
	[FAULT_STOP_HEARTBEAT] = { "stop-heartbeat", ARG_JOB },
	[FAULT_NONSENSE] = { "nonsense", ARG_NONSENSE },
	[FAULT_SLOW] = { "slow-job", ARG_JOB_MS },
	[FAULT_IGNORE_LOOP_LIMIT] = { "ignore-loop-limit", ARG_NONE },
	[FAULT_EARLY_DEATH] = { "early-death", ARG_TIMES },
	[FAULT_SLOW_START] = { "slow-start", ARG_MS },
	[FAULT_OTHER_CONTRACT] = { "other-contract", ARG_NONE },
	[FAULT_NO_PREEMPT] = { "no-preempt", ARG_NONE },
	[FAULT_ACK_EARLY] = { "ack-early", ARG_JOB },
	[FAULT_REFUSE_QUEUES] = { "refuse-queues", ARG_NONE },
};

static const char *const nonsense_names[NONSENSE_COUNT] = {
	[NONSENSE_BAD_QUEUE] = "bad-queue",	      [NONSENSE_BAD_SEQNO] = "bad-seqno",
	[NONSENSE_BAD_STATUS] = "bad-status",	      [NONSENSE_BAD_KIND] = "bad-kind",
	[NONSENSE_DUPLICATE] = "duplicate",	      [NONSENSE_BAD_TAIL] = "bad-tail",
	[NONSENSE_BAD_GENERATION] = "bad-generation", [NONSENSE_TIME_BACKWARDS] = "time-backwards",
};

static int take_nonsense(const char **text, enum fault_nonsense *kind)
{
	for (int i = 0; i < NONSENSE_COUNT; i++) {
		size_t len = strlen(nonsense_names[i]);

		if (strncmp(*text, nonsense_names[i], len) == 0 && (*text)[len] == '@') {
			*kind = i;
			*text += len + 1;
			return 0;
		}
	}
	return -EINVAL;
}

static int take_argument(enum fault_argument argument, const char **text, struct fault_spec *spec)
{
	uint64_t value;

	if (argument == ARG_NONE)
		return 0;
	if (*(*text)++ != '=')
		return -EINVAL;
	if (argument == ARG_TIMES) {
		if (nnutil_scan_u64(text, 10, 1, 1000, &value))
			return -EINVAL;
		spec->times = (uint32_t)value;
		return 0;
	}
	if (argument == ARG_MS) {
		if (nnutil_scan_u64(text, 10, 1, 3600000, &value))
			return -EINVAL;
		spec->ms = (uint32_t)value;
		return 0;
	}
	if (argument == ARG_NONSENSE && take_nonsense(text, &spec->nonsense))
		return -EINVAL;
	if (nnutil_scan_u64(text, 10, 1, UINT64_MAX, &spec->job))
		return -EINVAL;
	if (argument == ARG_JOB_MS) {
		if (*(*text)++ != ',' || nnutil_scan_u64(text, 10, 1, 3600000, &value))
			return -EINVAL;
		spec->ms = (uint32_t)value;
	}
	return 0;
}

int fault_parse(const char *text, struct fault_spec *spec)
{
	struct fault_spec s = { 0 };
	size_t name = strcspn(text, "=,");

	for (int i = 0; i < FAULT_MODE_COUNT; i++) {
		if (strlen(modes[i].name) != name || strncmp(text, modes[i].name, name) != 0)
			continue;
		s.mode = i;
		text += name;
		if (take_argument(modes[i].argument, &text, &s))
			return -EINVAL;
		if (strcmp(text, ",always") == 0)
			s.always = true;
		else if (*text)
			return -EINVAL;
		*spec = s;
		return 0;
	}
	return -EINVAL;
}

void fault_format(const struct fault_spec *spec, char *text, size_t size)
{
	const char *name = modes[spec->mode].name;
	const char *always = spec->always ? ",always" : "";

	switch (modes[spec->mode].argument) {
	case ARG_NONE:
		snprintf(text, size, "%s%s", name, always);
		break;
	case ARG_JOB:
		snprintf(text, size, "%s=%" PRIu64 "%s", name, spec->job, always);
		break;
	case ARG_JOB_MS:
		snprintf(text, size, "%s=%" PRIu64 ",%" PRIu32 "%s", name, spec->job, spec->ms,
			 always);
		break;
	case ARG_NONSENSE:
		snprintf(text, size, "%s=%s@%" PRIu64 "%s", name, nonsense_names[spec->nonsense],
			 spec->job, always);
		break;
	case ARG_MS:
		snprintf(text, size, "%s=%" PRIu32 "%s", name, spec->ms, always);
		break;
	case ARG_TIMES:
		snprintf(text, size, "%s=%" PRIu32 "%s", name, spec->times, always);
		break;
	}
}
