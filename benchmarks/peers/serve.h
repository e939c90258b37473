/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A peer of a benchmark: a process with one model, which runs it when scripts/bench-peers.py tells
 * it to, so that rounds of several peers can take turns.
 *
 * A line of JSON on standard output when the model has run once: the members of struct peer, and
 * first_ns, the processor time of the process until then; or {"error":"why"}. Then a line for each
 *line on standard input:
 *
 *	round NS	run for about NS of processor time, at least once
 *			{"runs":, "batch":, "thread_ns":, "process_ns":, "wall_ns":}: medians, of
 *			one run
 *	memory		{"peak_kib":}: the largest resident size of the process so far
 */
#ifndef PEERS_SERVE_H
#define PEERS_SERVE_H

#include <stddef.h>
#include <stdint.h>

struct peer {
	/** 0, or not 0 when the model failed */
	int (*run)(void *cookie);
	void *cookie;
	int64_t prepare_ns;
	/** nodes of the model, and those that the peer's own kernels take, in so many pieces */
	int nodes, taken, pieces;
	/** nodes with such a result */
	int float32s, int8s, uint8s;
};

/** Serve standard input to its end, after a first run of the model. The program's exit code. */
int peer_serve(const struct peer *peer);

/** Print why there is no peer; the program's exit code. */
int peer_refuse(const char *why);

/** CLOCK_MONOTONIC, ns */
int64_t peer_now_ns(void);

/** Fill input @i of the model at @path: from in0_@i.bin beside it, or a fixed sequence. */
enum peer_fill { PEER_BYTES, PEER_FLOATS };
void peer_fill(const char *path, int i, enum peer_fill how, void *data, size_t size);

#endif
