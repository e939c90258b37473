/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a fused device is computed from: the samples of its base sensors, through an event queue
 * like any client's. All on the fused device's thread.
 */
#ifndef SENSORD_BASE_READER_H
#define SENSORD_BASE_READER_H

#include "core/sinks.h"
#include "nnsensors_records.h"

enum fused_base { BASE_ACCELEROMETER, BASE_GYROSCOPE, BASE_MAGNETOMETER, NUM_BASES };
#define BASE_BIT(base) (1u << (base))

/** Give back the references to the devices of @bases (NULL: none). */
void bases_put(struct sensor *const bases[NUM_BASES]);

struct base_reader {
	struct queue_sink *queue;
	int event_fd; /* the queue's: readable when there may be a sample */
	struct nnsensors_reader reader;
	struct subscription subscriptions[NUM_BASES]; /* sensor NULL: no such base */
	int64_t periods_ns[NUM_BASES]; /* 0: it is off */
	int64_t latency_ns;
};

/**
 * base_reader_open() - get ready to read @bases (NULL: none); they are off
 *
 * Takes over the caller's references to the bases' devices, unless it fails. 0; -ENOMEM, -EMFILE.
 */
int base_reader_open(struct base_reader *r, struct sensor *const bases[NUM_BASES]);
void base_reader_close(struct base_reader *r);
/**
 * base_reader_run() - run each base at @periods_ns (0: off)
 *
 * Bases that run as wanted go on. 0; -errno: a base refused, all run as before.
 */
int base_reader_run(struct base_reader *r, const int64_t periods_ns[NUM_BASES], int64_t latency_ns);
/** The next sample: which base's, or -1: none, and event_fd will tell of the next one. */
int base_reader_next(struct base_reader *r, struct nnsensors_record *record);
/** event_fd was readable. */
void base_reader_woken(struct base_reader *r);

#endif
