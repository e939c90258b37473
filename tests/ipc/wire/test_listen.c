// SPDX-License-Identifier: Apache-2.0
/* The socket of a service, in a folder that other users may change. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "temp.h"
#include "test_case.h"
#include "wire/nnipc_wire.h"

#define NOBODY 65534

static const char *path, *victim, *away;

/* What another user does between bind() and what comes after it. */
static int (*interfere)(const char *from, const char *to);

int __real_bind(int sock, const struct sockaddr *address, socklen_t size);
int __wrap_bind(int sock, const struct sockaddr *address, socklen_t size);

int __wrap_bind(int sock, const struct sockaddr *address, socklen_t size)
{
	int ret = __real_bind(sock, address, size);

	if (!ret && interfere) {
		assert_int_equal(rename(path, away), 0);
		assert_int_equal(interfere(victim, path), 0);
	}
	return ret;
}

FIXTURE(setup)
{
	interfere = NULL;
	path = temp_path("socket");
	victim = temp_path("victim");
	away = temp_path("away");
	temp_write_text(victim, "");
	return chmod(victim, 0600);
}

/* Another group than that of new files, if this user may give files to one. */
static gid_t other_group(void)
{
	return geteuid() ? getegid() : NOBODY;
}

TEST(test_mode)
{
	const mode_t modes[] = { 0600, 0660, 0666, 0777 }, old = umask(022);
	struct stat facts;
	int sock;

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		sock = nnipc_listen(path, modes[i], other_group());
		assert_true(sock >= 0);
		assert_int_equal(lstat(path, &facts), 0);
		assert_int_equal(facts.st_mode, S_IFSOCK | modes[i]);
		assert_int_equal(facts.st_gid, other_group());
		/* the next one replaces it */
		assert_int_equal(nnipc_listen(path, modes[i], (gid_t)-1), -EADDRINUSE);
		close(sock);
		/* and the mask is as before */
		assert_int_equal(umask(022), 022);
	}
	umask(old);
}

/* The file of another user keeps its mode, its group and its times. */
static void check_victim(gid_t group, int error)
{
	struct stat before, after;
	int sock;

	assert_int_equal(stat(victim, &before), 0);
	sock = nnipc_listen(path, 0666, group);
	assert_int_equal(stat(victim, &after), 0);
	assert_int_equal(after.st_mode, before.st_mode);
	assert_int_equal(after.st_gid, before.st_gid);
	if (error)
		assert_int_equal(sock, error);
	else
		assert_true(sock >= 0);
	if (sock >= 0)
		close(sock);
	unlink(path);
	unlink(away);
}

TEST(test_link)
{
	interfere = symlink;
	check_victim(other_group(), -ENOTSOCK);
	/* what it listens on is the socket, wherever that is */
	check_victim((gid_t)-1, 0);
}

TEST(test_other_file)
{
	interfere = link;
	check_victim(other_group(), -ENOTSOCK);
	check_victim((gid_t)-1, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_mode, setup, temp_teardown),
		cmocka_unit_test_setup_teardown(test_link, setup, temp_teardown),
		cmocka_unit_test_setup_teardown(test_other_file, setup, temp_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
