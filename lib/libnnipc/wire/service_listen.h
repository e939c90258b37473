/* SPDX-License-Identifier: Apache-2.0 */
/* The sockets of a service: the one that it listens on, and the peer of a connected one. */
#ifndef NNIPC_SERVICE_LISTEN_H
#define NNIPC_SERVICE_LISTEN_H

#include <sys/types.h>

/** struct nnipc_peer - a process that has connected */
struct nnipc_peer {
	int sock;
	uid_t user;
	uid_t payer; /* whose budget it uses: the owner of a subordinate user */
	gid_t group;
	pid_t pid;
};

/** The peer of @sock, as the kernel reports it. 0 or -errno. */
int nnipc_peer_identify(struct nnipc_peer *peer, int sock);

/**
 * nnipc_listen() - a SOCK_SEQPACKET socket that listens on a path
 * @path: of the socket; one that a killed service left over is replaced
 * @mode: of the socket
 * @group: of the socket; (gid_t)-1: as it is
 *
 * One thread: the file mode mask of the process is another one meanwhile.
 *
 * Return: the socket, non-blocking and close-on-exec; -EADDRINUSE: another service listens there;
 * -ENOTSOCK: another kind of file is there; another errno.
 */
int nnipc_listen(const char *path, mode_t mode, gid_t group);

/** Mode and group of a socket, from a command line. 0; -EINVAL: no such. */
int nnipc_listen_mode(const char *text, mode_t *mode);
int nnipc_listen_group(const char *text, gid_t *group);

/**
 * The one socket that systemd has passed to this process (LISTEN_FDS), as nnipc_listen() makes one.
 * -ENOENT: none, or not for this process; -ENOTSOCK: not a SOCK_SEQPACKET socket that listens;
 * another errno.
 */
int nnipc_listen_passed(void);

#endif
