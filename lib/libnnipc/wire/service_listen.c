// SPDX-License-Identifier: Apache-2.0
#include "wire/nnipc_wire.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "nnutil_text.h"
#include "nnutil_file.h"

/* SD_LISTEN_FDS_START */
#define PASSED 3

/* Of any thread. */
static uid_t payer_of(uid_t user)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct nnipc_subordinates subordinates = { .path = "/etc/subuid" };
	uid_t owner;

	pthread_mutex_lock(&lock);
	owner = nnipc_subordinates_owner(&subordinates, user);
	pthread_mutex_unlock(&lock);
	return owner;
}

int nnipc_peer_identify(struct nnipc_peer *peer, int sock)
{
	struct ucred cred;
	socklen_t size = sizeof(cred);

	if (getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &cred, &size))
		return -errno;
	*peer = (struct nnipc_peer){
		.sock = sock,
		.user = cred.uid,
		.payer = payer_of(cred.uid),
		.group = cred.gid,
		.pid = cred.pid,
	};
	return 0;
}

/* A socket without a listener is left over from a service that was killed. */
static int remove_stale(const struct sockaddr_un *address)
{
	int probe = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int connected =
		probe < 0 ? -1 : connect(probe, (const struct sockaddr *)address, sizeof(*address));
	int error = errno;

	if (probe >= 0)
		close(probe);
	if (connected && error == ENOENT)
		return 0;
	if (connected && error == ECONNREFUSED && !unlink(address->sun_path))
		return 0;
	return connected ? -error : -EADDRINUSE;
}

/*
 * The file is a socket of ours, and not one that another user of the folder has put there: a link
 * is not followed.
 */
static int give_to_group(const char *path, gid_t group)
{
	const int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat facts;
	int error = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &facts))
		error = -errno;
	else if (!S_ISSOCK(facts.st_mode) || facts.st_uid != geteuid())
		error = -ENOTSOCK;
	else if (fchownat(fd, "", (uid_t)-1, group, AT_EMPTY_PATH))
		error = -errno;
	close(fd);
	return error;
}

/* The file has its mode from the start: nothing is done to it by its name. */
static int bind_with_mode(int sock, const struct sockaddr_un *address, mode_t mode)
{
	const mode_t old = umask(0777 & ~mode);
	const int error = bind(sock, (const struct sockaddr *)address, sizeof(*address)) ? -errno
											 : 0;

	umask(old);
	return error;
}

int nnipc_listen(const char *path, mode_t mode, gid_t group)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int sock, error;

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	strcpy(address.sun_path, path);
	error = remove_stale(&address);
	if (error)
		return error;
	sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (sock < 0)
		return -errno;
	error = bind_with_mode(sock, &address, mode);
	/* no client can connect yet */
	if (!error && group != (gid_t)-1)
		error = give_to_group(path, group);
	if (!error && listen(sock, 64))
		error = -errno;
	if (error)
		close(sock);
	return error ? error : sock;
}

int nnipc_listen_mode(const char *text, mode_t *mode)
{
	uint64_t number = 0;

	for (const char *c = text; *c; c++) {
		if (*c < '0' || *c > '7' || number > 0777)
			return -EINVAL;
		number = 8 * number + (uint64_t)(*c - '0');
	}
	if (!*text || number > 0777)
		return -EINVAL;
	*mode = (mode_t)number;
	return 0;
}

int nnipc_listen_group(const char *text, gid_t *group)
{
	const struct group *found = getgrnam(text);
	uint64_t number;

	if (!found && nnutil_parse_u64(text, 10, 0, UINT32_MAX - 1, &number))
		return -EINVAL;
	*group = found ? found->gr_gid : (gid_t)number;
	return 0;
}

int nnipc_listen_passed(void)
{
	const char *pid = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
	uint64_t number;

	if (!pid || !count || nnutil_parse_u64(pid, 10, 1, INT32_MAX, &number) ||
	    (pid_t)number != getpid() || strcmp(count, "1") != 0 ||
	    fcntl(PASSED, F_SETFD, FD_CLOEXEC))
		return -ENOENT;
	/* another one is a mistake in the unit */
	if (!nnutil_socket_is(PASSED, SO_TYPE, SOCK_SEQPACKET) ||
	    !nnutil_socket_is(PASSED, SO_ACCEPTCONN, 1))
		return -ENOTSOCK;
	/* a client that is gone again must not hold up the door */
	return fcntl(PASSED, F_SETFL, fcntl(PASSED, F_GETFL) | O_NONBLOCK) ? -errno : PASSED;
}
