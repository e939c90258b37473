/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Subscriptions: a sensor that a queue or a channel has enabled. A subscription belongs to its
 * queue or channel (one thread at a time, the connection's); between subscription_start() and
 * subscription_stop() the device's thread has it, too.
 *
 * Rates, decided once per subscription so that a client's rate does not change when others come and
 * go: the period is that of the sensor's rates which serves the request alone (the slowest that is
 * not slower than requested, else the fastest; for a rate level the one nearest to the nominal rate
 * inside the legal window). The device runs at the fastest period of all its subscribers, and each
 * subscriber takes the samples that are due in its own period: the first at or after due - half a
 * device period, and due goes on by the subscriber's period.
 *
 * No event is older than the start of its subscription. An on-change sensor's last value is sent at
 * the start, with the start's time. Its changes come no faster than the subscription's period,
 * though others may have the hardware run faster: of those in between the newest is sent when its
 * time has come.
 */
#ifndef SENSORD_SUBSCRIPTION_H
#define SENSORD_SUBSCRIPTION_H

#include <stdatomic.h>

#include "core/sensor_device.h"

struct sink;

struct subscription {
	struct sensor *sensor; /* a reference to its device; set by subscription_init() */
	struct sink *sink; /* where events go; outlives the subscription */
	int32_t token; /* of its records: a queue's is the handle, a channel's that of configure()
			*/
	/* (T) while it is started */
	struct subscription *next;
	int64_t period_ns, latency_ns;
	int64_t started_ns, due_ns;
	bool deferred; /* a change came before @due_ns */
	atomic_bool started; /* false again: stopped, one-shot and over, or the device is gone */
};

/** struct sink - the memory that events of subscriptions go to: queue_sink.h, channel_sink.h */
struct sink {
	/** @put: an event; the device's threads, several at a time; never waits */
	void (*put)(struct sink *sink, const struct subscription *s,
		    const struct nnsensors_record *record);
	/** @gone: the sensor of @s was unplugged */
	void (*gone)(struct sink *sink, const struct subscription *s);
	/**
	 * @wake_at: when the reader must be woken for events that may wait, CLOCK_BOOTTIME; called
	 * by the device's threads after put() with a latency; INT64_MAX: nothing waits. NULL: never
	 */
	int64_t (*wake_at)(struct sink *sink);
	/** @wake: that time has come */
	void (*wake)(struct sink *sink);
};

/** Takes over the caller's reference to the sensor's device. */
void subscription_init(struct subscription *s, struct sensor *sensor, struct sink *sink,
		       int32_t token);
/** Stopped, and the reference given back. */
void subscription_fini(struct subscription *s);
/**
 * Start, or go on with another period and latency. The period is taken to the sensor's range.
 * Return: 0; -ENODEV: unplugged; -errno of the hardware.
 */
int subscription_start(struct subscription *s, int64_t period_ns, int64_t latency_ns);
/** After the return no event comes. */
void subscription_stop(struct subscription *s);

/**
 * The period of @sensor for a request of @period_ns alone, see above; any thread.
 */
int64_t sensor_period_for(const struct sensor *sensor, int64_t period_ns);
/** The period for a rate level; 0: the sensor has none in the level's window. */
int64_t sensor_period_for_level(const struct sensor *sensor, enum nnsensors_rate_level level);
/** A period as info has it, in us: rounded up, for nothing is faster than its limit. */
int32_t sensor_delay_us(int64_t period_ns);
/**
 * Set in info->flags the highest direct rate level and both memory kinds: levels 1..n must all be
 * there, and the sensor be continuous. Backends call it when they make a sensor.
 */
void sensor_set_direct(struct sensor *sensor);

#endif
