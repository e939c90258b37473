// SPDX-License-Identifier: Apache-2.0
/* The parser of profiles with any text, and the profile of libnnhal. */
#include <errno.h>
#include <linux/udmabuf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include <drm.h>
#include "drm/nnaccel_accel.h"

#include "nnutil_file.h"
#include "sandbox/sandbox_private.h"
#include "test_case.h"

static uint32_t random_state = 1;

static uint32_t any(uint32_t limit)
{
	random_state = random_state * 1664525u + 1013904223u;
	return (random_state >> 8) % limit;
}

/* Words that mean something, and bytes that do not. */
static void any_text(char *text, size_t size)
{
	static const char *const words[] = {
		"syscall", "ioctl",  "errno",  "openat", "close",     "EPERM",	     "EACCES",
		"0x",	   "0x1234", "99",     " ",	 "\t",	      "\n",	     "#",
		"\r",	   "-1",     "clone3", "syscal", "mmap",      "0xfffffffff", "read",
		"write",   "device", "$HOME",  "/x",	 "$ORIGIN/x",
	};
	size_t used = 0;

	while (used + 16 < size && any(40)) {
		const char *word = words[any(sizeof(words) / sizeof(words[0]))];

		if (!any(8)) {
			text[used++] = (char)(1 + any(255));
			continue;
		}
		strcpy(text + used, word);
		used += strlen(word);
		if (any(3))
			text[used++] = any(4) ? ' ' : '\n';
	}
	text[used] = '\0';
}

TEST(test_any_text)
{
	char text[1024], message[256];
	int valid = 0, invalid = 0;

	for (int i = 0; i < 20000; i++) {
		struct nnipc_seccomp_rules rules = { .filter = seccomp_init(SCMP_ACT_TRAP) };
		int ret;

		assert_non_null(rules.filter);
		any_text(text, sizeof(text));
		message[0] = '\0';
		ret = nnipc_parse_profile(&rules, "file", text, message, sizeof(message));
		assert_true(ret == 0 || ret == -EINVAL);
		if (ret)
			assert_int_equal(strncmp(message, "sandbox profile file, line ", 27), 0);
		valid += !ret;
		invalid += ret != 0;
		seccomp_release(rules.filter);
	}
	/* both have been seen */
	assert_true(valid > 100 && invalid > 100);
}

/* A new ioctl of libnnhal needs a line. It makes no buffers of memory of its process. */
TEST(test_nnhal)
{
	static const unsigned int requests[] = {
		DRM_IOCTL_NNACCEL_DEV_QUERY,	  DRM_IOCTL_NNACCEL_BO_CREATE,
		DRM_IOCTL_NNACCEL_BO_MMAP_OFFSET, DRM_IOCTL_NNACCEL_BO_INFO,
		DRM_IOCTL_NNACCEL_BO_WAIT,	  DRM_IOCTL_NNACCEL_QUEUE_CREATE,
		DRM_IOCTL_NNACCEL_QUEUE_DESTROY,  DRM_IOCTL_NNACCEL_QUEUE_STATE,
		DRM_IOCTL_NNACCEL_SUBMIT,	  DRM_IOCTL_NNACCEL_PROGRAM_HINT,
		DRM_IOCTL_NNACCEL_BO_LABEL,	  UDMABUF_CREATE,
	};
	struct nnipc_seccomp_rules rules = { .filter = seccomp_init(SCMP_ACT_TRAP) };
	char message[256] = "", line[32], *text, *at;
	size_t lines = 0;

	assert_int_equal(nnutil_read_file(NNHAL_PROFILE, 65536, &text, NULL), 0);
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		snprintf(line, sizeof(line), "\nioctl 0x%x\n", requests[i]);
		if (!strstr(text, line))
			fail_msg("no line:%s", line);
	}
	for (at = text; (at = strstr(at, "\nioctl ")); at++)
		lines++;
	assert_int_equal(lines, sizeof(requests) / sizeof(requests[0]));
	assert_int_equal(nnipc_parse_profile(&rules, NNHAL_PROFILE, text, message, sizeof(message)),
			 0);
	assert_int_equal(nnipc_allow_calls(&rules), 0);
	seccomp_release(rules.filter);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_text),
		cmocka_unit_test(test_nnhal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
