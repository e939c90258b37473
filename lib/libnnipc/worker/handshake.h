/* SPDX-License-Identifier: Apache-2.0 */
/* HELLO. */
#ifndef NNIPC_HANDSHAKE_H
#define NNIPC_HANDSHAKE_H

/**
 * nnipc_handshake() - receive the host's HELLO and answer
 * @sock: the control socket
 * @driver: name of the vendor's driver
 * @refusal: why the worker cannot serve; NULL: it can
 *
 * Return: 0; -EPIPE: the host is gone; -EPROTO: the host speaks something else, or @refusal was
 * sent; -ETIME: it says nothing; another errno.
 */
int nnipc_handshake(int sock, const char *driver, const char *refusal);

#endif
