// SPDX-License-Identifier: Apache-2.0
/* Shared by the tests of libnnipc's host side. */
#include "host_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "descriptors.h"
#include "eventually.h"
#include "fake_worker.h"
#include "temp.h"

_Atomic unsigned int host_deaths;
static uint32_t descriptors_before;

void host_init(const char *worker)
{
	setenv("NNACCEL_WORKER", worker, 1);
	setenv("NNACCEL_WORKER_SANDBOX", "off", 1);
	unsetenv("NNACCEL_WORKER_PROFILES");
	unsetenv("NNACCEL_WORKER_LIBRARY");
}

int host_setup(void **state)
{
	(void)state;
	host_deaths = 0;
	descriptors_before = descriptors_open();
	return 0;
}

int host_teardown(void **state)
{
	(void)state;
	/* the last reference may be that of a callback that has just returned */
	if (EVENTUALLY(descriptors_open() == descriptors_before))
		return 0;
	fprintf(stderr, "%u descriptors before, %u after\n", descriptors_before,
		descriptors_open());
	return -1;
}

const char *host_spec(const char *manner, const char *spec)
{
	static char text[256];

	snprintf(text, sizeof(text), "worker=%s/%s%s%s", temp_folder(), manner, spec ? ":" : "",
		 spec ? spec : "");
	return text;
}

void host_make_once(void)
{
	temp_write_text(temp_path("once"), "");
}

static void died(void *cookie, char *next, size_t size)
{
	(void)cookie;
	host_deaths++;
	snprintf(next, size, "never");
}

struct nnipc_connection *host_open(const char *manner)
{
	struct nnipc_connection *c;
	char message[640] = "";
	struct nnipc_target t;

	assert_int_equal(nnipc_target_parse(host_spec(manner, "it"), &t, message, sizeof(message)),
			 0);
	if (nnipc_connection_open(&t, died, NULL, &c, message, sizeof(message)))
		fail_msg("%s: %s", manner, message);
	nnipc_target_free(&t);
	return c;
}

static int call(struct nnipc_connection *c, uint32_t method, const uint32_t *argument,
		uint32_t *answer)
{
	struct nnipc_lane *lane;
	int ret;

	lane = nnipc_connection_lane(c, -1, &ret);
	if (!lane)
		return ret;
	if (argument)
		nnipc_put_u32(&lane->out, *argument);
	ret = nnipc_call(c, lane, method, 0, NNIPC_LIMIT_CALL, -1);
	if (!ret && answer)
		*answer = nnipc_get_u32(&lane->in.reader);
	nnipc_connection_give(c, lane);
	return ret;
}

int host_call(struct nnipc_connection *c, uint32_t method, uint32_t argument)
{
	return call(c, method, &argument, NULL);
}

uint32_t host_ask(struct nnipc_connection *c, uint32_t method)
{
	uint32_t answer = 0;

	assert_int_equal(call(c, method, NULL, &answer), 0);
	return answer;
}

int host_notify(struct nnipc_connection *c, uint32_t method, uint64_t callback, uint32_t times,
		const void *bytes, size_t size)
{
	struct nnipc_lane *lane;
	int ret;

	lane = nnipc_connection_lane(c, -1, &ret);
	if (!lane)
		return ret;
	nnipc_put_u32(&lane->out, method);
	nnipc_put_u64(&lane->out, callback);
	nnipc_put_u32(&lane->out, times);
	nnipc_put_bytes(&lane->out, bytes, size);
	ret = nnipc_call(c, lane, FAKE_NOTIFY, 0, NNIPC_LIMIT_CALL, -1);
	nnipc_connection_give(c, lane);
	return ret;
}
