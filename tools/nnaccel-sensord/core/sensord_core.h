/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices, their threads and subscriptions, the list of sensors; the memory that events are written
 * to.
 */
#ifndef NNACCEL_SENSORD_CORE_H
#define NNACCEL_SENSORD_CORE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "nnsensors.h"
#include "values/nnsensors_values.h"

/*
 * Sensors and the devices that have them. A backend (iio, virtual, fusion) makes a device with its
 * sensors; the core does all the rest: who gets which event, at which rate.
 *
 * A device has one thread, the service thread of everything about it: it reads samples, converts
 * them (backend), and writes them to every subscriber's ring (core). On it there is no allocation
 * and no lock per event. Changes (a subscription, a rate, the end) run on the thread by
 * device_call(). So nothing about a device's running state needs a lock:
 *
 *   object                     who may touch it
 *   sensor.info, device.name   anybody; constant after device_add()
 *   everything marked (T)      the device's thread, that is: backend operations and device_call()
 *   the list of all sensors    sensor_list.c, under its lock
 *
 * Lock order: connection > sensor list > device's mailbox. The device's thread takes its own
 * mailbox, and the list's lock when the device is lost: no thread holds the list's lock while it
 * waits for a thread.
 *
 * Lives: a device is counted. The list has a reference until device_remove(), each lookup and each
 * subscription has one. device_remove() (unplugged, or the service ends) tells every subscriber
 * (SENSOR_NOTICE_GONE), stops the hardware and ends the thread; a subscription of it then answers
 * -ENODEV and is destroyed as any other.
 */

struct sensor_device;
struct subscription;

#define SENSORS_PER_DEVICE 32u
/** Most rates that a sensor can list. */
#define SENSOR_RATES_MAX 64u

/**
 * struct sensor - a sensor of a device
 * @info: what clients see; handle is set by device_add()
 * @row: of its type
 * @device: whose sensor it is
 * @index: its place in the device
 * @num_periods, @periods_ns: all periods that it can run at, ascending; 0: any between
 *	info.min_delay_us and info.max_delay_us
 */
struct sensor {
	struct nnsensors_info info;
	const struct sensor_type *row;
	struct sensor_device *device;
	unsigned int index;
	unsigned int num_periods;
	int64_t periods_ns[SENSOR_RATES_MAX];
	/* (T) */
	struct subscription *subscriptions; /* linked by subscription.next */
	struct nnsensors_record last; /* on-change: the value for a new subscriber */
	bool has_last;
	int64_t last_timestamp; /* of the last event; the next one's is larger */
};

/** Its reporting mode: NNSENSORS_FLAG_CONTINUOUS... */
static inline uint32_t sensor_mode(const struct sensor *sensor)
{
	return sensor->info.flags & NNSENSORS_FLAG_MODE_MASK;
}

/**
 * struct sensor_demand - what the subscribers of a sensor want of the hardware
 * @period_ns: the fastest period wanted, one of the sensor's; 0: it is off, without subscribers
 * @latency_ns: how long the hardware may keep events; 0: not at all
 */
struct sensor_demand {
	int64_t period_ns, latency_ns;
};

/** struct sensor_device_ops - what a backend does; all on the device's thread */
struct sensor_device_ops {
	/**
	 * @configure: run the hardware so; the demands of all sensors, by index
	 *
	 * Called when a demand changed. A sensor whose demand did not change goes on, without a gap
	 * where the hardware can. Return: 0; or -errno: the hardware refused, and runs as before.
	 */
	int (*configure)(struct sensor_device *device, const struct sensor_demand *demands);
	/** @ready: a descriptor of device_watch() has @events of epoll; emit what is there */
	void (*ready)(struct sensor_device *device, int fd, uint32_t events);
	/** @tick: the time of device_tick_at() has come */
	void (*tick)(struct sensor_device *device, int64_t now_ns);
	/** @destroy: all is off, the thread does nothing more; free @priv */
	void (*destroy)(struct sensor_device *device);
	/** @now: the device's CLOCK_BOOTTIME; NULL: the system's. For tests */
	int64_t (*now)(struct sensor_device *device);
};

/** struct sensor_device_config - a new device */
struct sensor_device_config {
	const char *name; /* of its thread and in messages: "iio:device0" */
	const struct sensor_device_ops *ops;
	void *priv;
	const struct sensor *sensors; /* info, row and periods are copied */
	unsigned int num_sensors;
};

/**
 * device_add() - a device is there: start its thread, give its sensors handles, list them
 * @config: the device
 * @device: set to the device; the caller has a reference. NULL: not wanted
 *
 * The sensors are checked by sensor_check() first. Return: 0; -EINVAL: a sensor is not valid, or
 * its name is taken by another of its type; -ENOMEM, -EAGAIN, -EMFILE. @priv is freed by
 * ops->destroy() unless this fails.
 */
int device_add(const struct sensor_device_config *config, struct sensor_device **device);
/** The device is gone, or shall be. Any thread but the device's own, where device_lost() is. */
void device_remove(struct sensor_device *device);
/** From an operation: the hardware is gone. The device is removed as soon as possible. */
void device_lost(struct sensor_device *device);
/** References. */
void device_get(struct sensor_device *device);
void device_put(struct sensor_device *device);
const char *device_name(const struct sensor_device *device);
void *device_priv(const struct sensor_device *device);
unsigned int device_num_sensors(const struct sensor_device *device);
struct sensor *device_sensor(struct sensor_device *device, unsigned int index);

/**
 * device_call() - run @function on the device's thread and wait for it
 *
 * Return: what @function returned; -ENODEV: the device is gone, @function did not run.
 */
int device_call(struct sensor_device *device, int (*function)(struct sensor_device *, void *),
		void *argument);

/* ---- for operations, on the device's thread ---- */

/** Call ops->ready() when @fd has @events of epoll; 0: no longer. 0 or -errno. */
int device_watch(struct sensor_device *device, int fd, uint32_t events);
/** Call ops->tick() at @time_ns of CLOCK_BOOTTIME; negative: no longer. */
void device_tick_at(struct sensor_device *device, int64_t time_ns);
/**
 * From ops->configure(): the sensor runs at another period than is demanded, as where one clock
 * drives all sensors of the device. Without it, it runs at the demand's.
 */
void sensor_runs_at(struct sensor *sensor, int64_t period_ns);
/**
 * sensor_emit() - an event of a sensor
 * @sensor: the sensor
 * @timestamp_ns: CLOCK_BOOTTIME; not later than now, and made later than the sensor's last one
 * @payload: what the type has is taken
 *
 * On-change: an event with the value that the sensor had last is no event. Delivered to each
 * subscriber that is due.
 */
void sensor_emit(struct sensor *sensor, int64_t timestamp_ns,
		 const union nnsensors_payload *payload);

/** Whether a list of sensors may have @sensor: the rules are in sensor_check.c. */
bool sensor_check(const struct sensor *sensor, char *message, size_t size);

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

/*
 * sensor_list.c: all sensors that are there. Handles count up and are not used again while the
 * service runs.
 */

/** An array of *@count that the caller frees; NULL with *@count 0: none, or no memory (-ENOMEM). */
int sensor_list_infos(struct nnsensors_info **infos, uint32_t *count);
/** The sensor of @handle; the caller has a reference to its device. NULL: there is none. */
struct sensor *sensor_list_get(int32_t handle);
/** The first of @type with its natural wake-up flavour, likewise. */
struct sensor *sensor_list_default(int32_t type);
/**
 * Call @changed (NULL: nothing) after each device_add(), device_remove() and device_lost(), with no
 * lock held: for backends that live on other devices (fusion). The call comes from the thread that
 * added or removed; for device_lost() from the device's own, whose mailbox is closed. Returns when
 * no call of the one before runs any more.
 */
void sensor_list_on_change(void (*changed)(void *cookie), void *cookie);
/** Remove all devices and wait for their threads. */
void sensor_list_clear(void);

/* ---- for device_add() and device_remove() ---- */

/** Whether only one of them can be in the list. */
bool sensor_same_name(const struct sensor *a, const struct sensor *b);
/** Gives the handles. -EINVAL: a name is taken; @message says which. */
int sensor_list_add(struct sensor_device *device, char *message, size_t size);
/** Whether it was there: the caller takes over the list's reference. */
bool sensor_list_remove(struct sensor_device *device);
/** Any device, with a reference; NULL: there is none. */
struct sensor_device *sensor_list_any(void);
void sensor_list_changed(void);

/* device_state.c: what a device is inside of the core. */

/** struct device_request - a device_call() that waits for its answer, in its caller's frame */
struct device_request {
	int (*function)(struct sensor_device *device, void *argument);
	void *argument;
	int result;
	bool answered; /* under the lock */
	pthread_cond_t was_answered;
	struct device_request *next;
};

/**
 * struct sensor_device - see sensord_core.h
 * @lock: the mailbox's, for @requests, @closed and @ended
 * @has_ended: @ended
 * @end: the thread shall end
 * @closed: no request is taken any more, and no subscription is there
 * @ended: the thread touches the device no more, but to give back its reference
 * @listed: sensor_list_add() has succeeded, under the list's lock
 * @list_next: under the list's lock
 */
struct sensor_device {
	atomic_uint references;
	char name[32];
	const struct sensor_device_ops *ops;
	void *priv;

	pthread_mutex_t lock;
	pthread_cond_t has_ended;
	struct device_request *requests, **requests_end;
	atomic_bool end;
	bool closed, ended;
	int mailbox_fd;

	bool listed;
	struct sensor_device *list_next;

	/* (T) */
	int epoll_fd, timer_fd;
	int64_t tick_ns, wake_ns, deferred_ns; /* INT64_MAX: never */
	int64_t armed_ns; /* what the timer is set to */
	bool has_requests; /* there may be some; one is run per round */
	bool lost;
	bool demands_old; /* a subscription ended by itself */
	struct sensor_demand demands[SENSORS_PER_DEVICE]; /* requested from the hardware */
	int64_t periods_ns[SENSORS_PER_DEVICE]; /* what it runs at */
	int *watched;
	unsigned int num_watched, max_watched;

	unsigned int num_sensors;
	struct sensor sensors[];
};

/** The device's clock. */
int64_t device_now(struct sensor_device *device);

/*
 * channel_fault.c: writes to a client's memory whose pages may go at any time. To write to a hole
 * of a memfd makes a page, which the kernel counts as the writer's for as long as anybody has the
 * memory: a client that punched holes, and kept what it has, would have the service pay without
 * end. With userfaultfd the write is a SIGBUS instead, as it is in a dma-buf whose exporter has no
 * page. The whole mapping then becomes memory of the service's own, which goes with the channel:
 * the client gets nothing any more, and the thread of the device goes on.
 */

/** struct channel_pages - a mapping of a client's memory, or of one that a client may change */
struct channel_pages {
	void *data;
	uint64_t size;
	atomic_bool lost; /* it is the client's no more */
};

/** Before the first channel. Takes SIGBUS, and a descriptor. */
void channel_fault_prepare(void);
/**
 * Have holes of these pages found. False: without userfaultfd, or where the memory has none (a
 * dma-buf), a hole is filled as ever.
 */
bool channel_fault_watch(const struct channel_pages *pages);
/** This thread writes to @pages and to no others. */
void channel_fault_begin(struct channel_pages *pages);
void channel_fault_end(void);

/* The two sinks: the memory of an event queue, and of a direct channel. */

/* ---- event queues ---- */

struct queue_sink;
struct sensor_queue_memory;
struct waker;

/**
 * A queue's memory (struct sensor_queue_memory, a sealed memfd), and what its reader sleeps on.
 * @memory_fd and @event_fd stay the sink's. @waker wakes the reader, and outlives the queue; NULL:
 * the reader is of the service, and the thread that has an event wakes it. 0; -ENOMEM, -EMFILE.
 */
int queue_sink_create(struct queue_sink **queue, struct waker *waker, int *memory_fd,
		      int *event_fd);
/** Bytes that a queue costs the service. */
uint64_t queue_sink_bytes(void);
/** No subscription has it any more. From then on its memory has no pages, also for those who hold
 * it. */
void queue_sink_destroy(struct queue_sink *queue);
struct sink *queue_sink(struct queue_sink *queue);
/** The memory as the sink has it mapped: for a reader in the service. */
struct sensor_queue_memory *queue_sink_memory(struct queue_sink *queue);
/** Events written so far, and those that a place in the ring was missing for. Any thread. */
void queue_sink_count(const struct queue_sink *queue, uint64_t *delivered, uint64_t *lost);

/* ---- direct channels ---- */

struct channel_sink;

/** enum channel_memory - kinds of memory */
enum channel_memory { CHANNEL_ASHMEM, CHANNEL_GRALLOC };

/** Most bytes: the service writes to all of them, so they may be counted as its own. */
#define CHANNEL_SIZE_MAX (64ull << 20)
/** Bytes that a channel of @size costs the service; UINT64_MAX: more than any may have. */
uint64_t channel_sink_bytes(uint64_t size);

/**
 * channel_sink_create() - map a client's memory, zero it
 * @kind: CHANNEL_ASHMEM: a memfd, that is or becomes sealed against shrinking; CHANNEL_GRALLOC: a
 *	dma-buf
 * @fd: the memory; stays the caller's
 * @size: bytes to use, >= 104
 * @channel: set to the sink
 *
 * Return: 0; -EINVAL: cannot be sealed, is sealed or open against writing, or is no memory of the
 * kind; -ENOMEM: smaller than @size, or not all of its pages are there, or another channel has
 * this memory, or @size is over CHANNEL_SIZE_MAX; -ENOSYS: a dma-buf that cannot be mapped for
 * writing.
 */
int channel_sink_create(enum channel_memory kind, int fd, uint64_t size,
			struct channel_sink **channel);
/** No subscription has it any more: unmapped, and the memory can be another channel's. */
void channel_sink_destroy(struct channel_sink *channel);
struct sink *channel_sink(struct channel_sink *channel);
uint64_t channel_sink_delivered(const struct channel_sink *channel);

/* delivery.c: events on their way to the sinks. On the device's thread. */

/** The value that an on-change sensor has, for a new subscriber; nothing if it is not known. */
void delivery_last(struct subscription *s);
/** Wake the readers whose time has come, and note when the next one's comes. */
void delivery_wake(struct sensor_device *device, int64_t now_ns);
/**
 * Send the changes that were deferred and whose time has come, and note when the next one's comes.
 */
void delivery_deferred(struct sensor_device *device);
/** Wake the client of @s for the events that were held back. */
void delivery_flush(const struct subscription *s);
/** The device is gone: tell all subscribers, and end their subscriptions. */
void delivery_end(struct sensor_device *device);

/* subscribe.c: what the subscribers of a device want of the hardware. On the device's thread. */

/**
 * Have the hardware run as the subscriptions of all sensors want it; nothing if it does. 0; -errno:
 * it refused, and runs as before.
 */
int demand_update(struct sensor_device *device);

/*
 * waker.c: threads that wake the readers of queues, one for each user. A wake-up runs what the
 * client has put behind its descriptor, in the thread that sends it: a poll() that lists the
 * descriptor 20,000 times makes one send() take milliseconds. So no thread of a device sends to a
 * client: it leaves the wake-up to an ordinary thread, which works for this user alone.
 */

/** struct wake_up - what is sent: a datagram of 8 bytes to @fd. Zeros and a descriptor */
struct wake_up {
	struct wake_up *next;
	atomic_bool waits;
	int fd;
};

/** The user's waker, shared and counted. 0; -ENOMEM, -EAGAIN: no thread. */
int waker_get(uid_t user, struct waker **waker);
void waker_put(struct waker *waker);

/** Send it now, on this thread. A socket that is full has wake-ups that are not read. */
void wake_up_send(struct wake_up *wake_up);
/** Have it sent, once if it still waits. Any thread; never waits, and runs nothing of a client. */
void waker_add(struct waker *waker, struct wake_up *wake_up);
/** Send what waits. After the return the waker has nothing that was added before. */
void waker_flush(struct waker *waker);

/* channel_memory.c: a client's memory, mapped for a direct channel. */

struct channel_map {
	struct channel_map *next; /* of all, so that none is there twice */
	dev_t dev;
	ino_t ino;
	struct channel_pages pages;
};

/**
 * channel_memory_map() - take a client's memory, as channel_sink_create() says
 *
 * Between the two calls the processor may write to it, and no other map of this memory succeeds.
 */
int channel_memory_map(enum channel_memory kind, int fd, uint64_t size, struct channel_map *map);
void channel_memory_unmap(struct channel_map *map);

/**
 * Around the first writes, before a device gets the memory. Without effect on a memfd. The
 * first may wait for devices that use the memory. 0; -ENOSYS: not for the processor.
 */
int channel_memory_begin(enum channel_memory kind, int fd);
void channel_memory_end(enum channel_memory kind, int fd);

/* device_thread.c: the thread of a device. */

/** Start it; it has a reference to @device. 0 or -errno. */
int device_thread_start(struct sensor_device *device);
/** Have it end, and wait: every subscriber has its notice. Any thread but it. */
void device_thread_end(struct sensor_device *device);
/** Wait until no thread of a device is left. */
void device_threads_wait(void);

#endif
