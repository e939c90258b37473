// SPDX-License-Identifier: Apache-2.0
/* When a worker may start again. */
#include "host/nnipc_host.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "nnutil_clock.h"

#define WINDOW_NS (60 * NNUTIL_NS_PER_S)
#define OFFLINE_NS (300 * NNUTIL_NS_PER_S)

/* After the first, second, third crash of the window, and all later ones. */
static const int64_t delays_ns[] = { 0, 100 * NNUTIL_NS_PER_MS, NNUTIL_NS_PER_S };
#define DELAYS (sizeof(delays_ns) / sizeof(delays_ns[0]))

/* Crashes that are too long ago do not count. */
static void restart_policy_forget(struct nnipc_restart_policy *p, int64_t now_ns)
{
	unsigned int old = 0;

	if (p->offline_until_ns && now_ns >= p->offline_until_ns) {
		p->offline_until_ns = 0;
		old = p->crashes;
	}
	while (old < p->crashes && now_ns - p->at_ns[old] > WINDOW_NS)
		old++;
	p->crashes -= old;
	memmove(p->at_ns, p->at_ns + old, p->crashes * sizeof(p->at_ns[0]));
}

void nnipc_restart_crashed(struct nnipc_restart_policy *p, int64_t now_ns)
{
	restart_policy_forget(p, now_ns);
	if (p->crashes <= NNIPC_MAX_CRASHES)
		p->at_ns[p->crashes++] = now_ns;
	if (p->crashes > p->max_crashes && !p->offline_until_ns)
		p->offline_until_ns = now_ns + OFFLINE_NS;
}

int nnipc_restart_wait(struct nnipc_restart_policy *p, int64_t now_ns, int64_t *wait_ns)
{
	size_t nth;
	int64_t at;

	*wait_ns = 0;
	restart_policy_forget(p, now_ns);
	if (p->offline_until_ns) {
		*wait_ns = p->offline_until_ns - now_ns;
		return -EPERM;
	}
	if (!p->crashes)
		return 0;
	nth = p->crashes < DELAYS ? p->crashes : DELAYS;
	at = p->at_ns[p->crashes - 1] + delays_ns[nth - 1];
	if (now_ns >= at)
		return 0;
	*wait_ns = at - now_ns;
	return -EAGAIN;
}

void nnipc_restart_text(struct nnipc_restart_policy *p, int64_t now_ns, char *text, size_t size)
{
	int64_t wait_ns;

	switch (nnipc_restart_wait(p, now_ns, &wait_ns)) {
	case 0:
		snprintf(text, size, "the next call");
		break;
	case -EAGAIN:
		snprintf(text, size, "a call in %lld ms or later",
			 (long long)((wait_ns + NNUTIL_NS_PER_MS - 1) / NNUTIL_NS_PER_MS));
		break;
	default:
		snprintf(text, size,
			 "a call in %lld s or later, for there were %u crashes in a minute",
			 (long long)((wait_ns + NNUTIL_NS_PER_S - 1) / NNUTIL_NS_PER_S),
			 p->crashes);
		break;
	}
}
