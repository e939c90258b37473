/* SPDX-License-Identifier: Apache-2.0 */
/* What clients that want to harm a worker need. */
#ifndef WORKER_HARM_H
#define WORKER_HARM_H

#include "worker_client.h"

/** The same numbers from the same seed. */
void harm_seed(unsigned int seed);
uint32_t harm_random(void);
/** Bytes as a packet. A worker that has hung up already is fine. */
void harm_send(int sock, const void *data, size_t size);
struct nnipc_header harm_header(uint8_t kind, uint32_t method);
/** Drop messages that the worker has sent by itself. */
void harm_drain(const struct client *c);
/** Descriptors of the worker; 0: it is gone. */
int harm_count_fds(const struct client *c);

#endif
