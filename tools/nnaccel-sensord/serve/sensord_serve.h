/* SPDX-License-Identifier: Apache-2.0 */
/* The service: connections, permissions, limits, the servants of the objects of nnsensors.h. */
#ifndef NNACCEL_SENSORD_SERVE_H
#define NNACCEL_SENSORD_SERVE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/sensord_core.h"
#include "messages/sensor_messages.h"
#include "nnsensors.h"
#include "wire/nnipc_wire.h"

/*
 * permissions.c: permissions for types of sensors, from some rate on. A type is in one rule at
 * most; users that the rule does not name have what the rule leaves free. A type that is in none is
 * under every rule about a type that it is computed from. The rules hold for root, too.
 */

/** struct permission_rule - [permission NAME] */
struct permission_rule {
	char name[NNSENSORS_NAME_MAX];
	double above_hz; /* faster than this needs to be named; 0: any use does */
	int32_t *types;
	size_t num_types;
	bool private_types; /* all of the vendor's */
	uid_t *users;
	size_t num_users;
	gid_t *groups;
	size_t num_groups;
};

struct permission_rules {
	struct permission_rule *rules;
	size_t count;
};

/** struct person - the client's process: user and groups, as the kernel reports them */
struct person {
	uid_t user;
	gid_t *groups; /* the effective one as well */
	size_t num_groups;
};

/** The process at the other end of @sock; groups are allocated. 0 or -errno. */
int person_identify(struct person *person, int sock, uid_t user, gid_t group);
void person_fini(struct person *person);

/** The rule that has @type; NULL: none has. */
const struct permission_rule *permission_rule_of(const struct permission_rules *rules,
						 int32_t type);
/** What clients see as the permission that sensors of @type need; "": none. */
const char *permission_name(const struct permission_rules *rules, int32_t type);
/** Whether @person may have events of @type every @period_ns (0: as often as they come). */
bool permission_allows(const struct permission_rules *rules, const struct person *person,
		       int32_t type, int64_t period_ns);
void permission_rules_fini(struct permission_rules *rules);

/*
 * Which types of sensors others are computed from, by fusion here or by a sensor
 * hub. A rule about a type covers each of these forms.
 */

/**
 * Whether events of @type reveal those of @base: a rotation vector of an accelerometer, an
 * uncalibrated twin of the calibrated one and the other way round. Not of itself.
 */
bool type_is_computed_from(int32_t type, int32_t base);

/* sensord_config.c: the service's configuration: of its file and of its command line. */

#define SENSORD_CONFIG_DEFAULT "/etc/nnaccel/sensord.conf"

/** struct sensord_limits - what clients can have at a time */
struct sensord_limits {
	uint32_t connections, connections_per_user;
	uint32_t objects; /* queues and channels of a connection */
	uint32_t objects_per_user;
	uint32_t sensors; /* enabled by a connection, each queue's and channel's counted */
	uint32_t memory, memory_per_user; /* of queues and channels, MiB */
	uint32_t events, events_per_user; /* per second */
};

/** struct sensord_config - everything; zeros are none of it, see sensord_config_init() */
struct sensord_config {
	struct sensord_limits limits;
	struct permission_rules rules;
	char **virtual_files;
	size_t num_virtual;
	bool iio, fusion;
};

void sensord_config_init(struct sensord_config *config);
void sensord_config_fini(struct sensord_config *config);

/**
 * Take over what file @path says. 0; -ENOENT and other errors of reading; -EINVAL: @message names
 * the line.
 */
int sensord_config_read(struct sensord_config *config, const char *path, char *message,
			size_t size);
/** The same of @text; @path: its name in messages. */
int sensord_config_parse(struct sensord_config *config, const char *path, char *text, char *message,
			 size_t size);
/** A file of virtual sensors more. 0; -ENOMEM. */
int sensord_config_add_virtual(struct sensord_config *config, const char *path);

/*
 * sensor_client.c: what the users of the service have of it, in all their connections:
 * Documentation/sensors.rst.
 */

enum client_budget_kind {
	BUDGET_OBJECTS, /* queues and channels */
	BUDGET_BYTES, /* of both, the client's memory of a channel included */
	BUDGET_EVENTS, /* of enabled sensors, per second */
	BUDGET_KINDS,
};

/** nnipc_budget_init() with these limits. */
void client_budget_init(struct nnipc_budget *budget, const struct sensord_limits *limits);

/*
 * enabled_sensors.c: the sensors that a queue or a channel has enabled. The thread of the
 * connection changes the set; other threads count it under the client's lock, which is therefore
 * held while the set changes.
 */

struct enabled_sensor {
	struct subscription subscription;
	uint64_t events; /* per second, as charged */
	struct enabled_sensor *next;
};

/** struct enabled_sensors - zeros, a lock and who pays are an empty set */
struct enabled_sensors {
	pthread_mutex_t *lock; /* the client's */
	struct nnipc_budget *budget; /* BUDGET_EVENTS of @payer */
	uid_t payer;
	struct enabled_sensor *first;
};

/**
 * The sensor's entry; NULL: it is not enabled. An entry whose subscription has ended (one-shot and
 * over, unplugged) is none: those are taken out first.
 */
struct enabled_sensor *enabled_sensors_find(struct enabled_sensors *set, int32_t handle);
/** Take out the entries whose subscriptions have ended, so that they cost nothing any more. */
void enabled_sensors_sweep(struct enabled_sensors *set);
/** The entry with @token likewise. */
struct enabled_sensor *enabled_sensors_find_token(struct enabled_sensors *set, int32_t token);
/**
 * enabled_sensors_start() - a sensor that is not in the set, with a period
 *
 * Takes over the caller's reference to the sensor's device, also on errors. Return: 0; or the error
 * of subscription_start(), -ENOMEM: there is no memory, or no budget for so many events.
 */
int enabled_sensors_start(struct enabled_sensors *set, struct sensor *sensor, struct sink *sink,
			  int32_t token, int64_t period_ns, int64_t latency_ns);
/** An entry goes on with another period and latency; on errors as before. Returns are the same. */
int enabled_sensors_change(struct enabled_sensors *set, struct enabled_sensor *entry,
			   int64_t period_ns, int64_t latency_ns);
/** Stop the sensor and take it out. False: it is not enabled. */
bool enabled_sensors_stop(struct enabled_sensors *set, int32_t handle);
void enabled_sensors_stop_all(struct enabled_sensors *set);
/** How many run. Under the lock. */
uint32_t enabled_sensors_count(const struct enabled_sensors *set);

/*
 * sensor_client.c: a client of the service: who it is, and the objects that it has. The thread of
 * its connection is the only one that changes them; it does so under the client's lock, which
 * others take to count (GET_CLIENTS). Lock order: registry > client > what the core has.
 */

enum object_kind { OBJECT_QUEUE, OBJECT_CHANNEL };

/** struct client_object - an event queue or a direct channel of a client */
struct client_object {
	uint64_t oid;
	enum object_kind kind;
	uint64_t bytes; /* as charged */
	struct enabled_sensors sensors;
	union {
		struct queue_sink *queue;
		struct channel_sink *channel;
	};
	enum channel_memory memory; /* of a channel */
	int32_t last_token; /* of a channel: the last one that it gave away */
	struct client_object *next;
};

struct sensor_client {
	const struct sensord_config *config;
	struct nnipc_budget *budget;
	struct nnipc_peer peer;
	struct person person;
	char comm[16];
	struct waker *waker; /* of its user; NULL: it has had no queue */
	uint64_t last_oid;
	pthread_mutex_t lock; /* protects what follows */
	struct client_object *objects;
	uint64_t past_delivered, past_lost; /* of objects that are gone */
	struct sensor_client *next; /* the registry's */
};

/** A client without objects; the socket stays the caller's. 0 or -errno. */
int sensor_client_init(struct sensor_client *client, const struct sensord_config *config,
		       struct nnipc_budget *budget, const struct nnipc_peer *peer);
/** Release all objects. */
void sensor_client_clear(struct sensor_client *client);
/** It has no objects, and is in no list. */
void sensor_client_fini(struct sensor_client *client);

/* ---- for the servants ---- */

/**
 * A new object, without its sink, that costs @bytes; @oid is set, and it is found from now on.
 * NULL: a limit of the client or of its user is reached, or there is no memory.
 */
struct client_object *client_object_add(struct sensor_client *client, enum object_kind kind,
					uint64_t bytes);
/** NULL: there is no such object of this kind. */
struct client_object *client_object_find(struct sensor_client *client, uint64_t oid,
					 enum object_kind kind);
/** Stop its sensors, destroy its sink if it has one. */
void client_object_destroy(struct sensor_client *client, struct client_object *object);
/**
 * client_object_enable() - start a sensor, or go on with another period and latency
 * @entry: the object's of this sensor, enabled_sensors_find(); NULL: it is enabled now
 * @token: of a new entry
 *
 * Takes over the caller's reference to the sensor's device. NO_MEMORY: as many are enabled as the
 * client may have, its user has no events left, or there is no memory; what subscription_start()
 * returns.
 */
enum nnsensors_result client_object_enable(struct sensor_client *client,
					   struct client_object *object,
					   struct enabled_sensor *entry, struct sensor *sensor,
					   int32_t token, int64_t period_ns, int64_t latency_ns);
/** A queue with the waker of the client's user: queue_sink_create(). */
int sensor_client_make_queue(struct sensor_client *client, struct queue_sink **queue,
			     int *memory_fd, int *event_fd);

/*
 * The objects' methods: each reads its arguments, and checks that nothing is left, before it does
 * anything. Returns are those of nnipc_handler.
 */

/** Run a call of a client. */
int sensor_servant_call(struct sensor_client *client, const struct nnipc_header *header,
			struct nnipc_reader *in, struct nnipc_writer *out);

/** A method of an object; @object is NULL for those of the manager. */
typedef int (*sensor_servant)(struct sensor_client *client, struct client_object *object,
			      struct nnipc_reader *in, struct nnipc_writer *out);

/* ISensorManager */
int serve_get_sensor_list(struct sensor_client *client, struct client_object *object,
			  struct nnipc_reader *in, struct nnipc_writer *out);
int serve_get_default_sensor(struct sensor_client *client, struct client_object *object,
			     struct nnipc_reader *in, struct nnipc_writer *out);
int serve_create_ashmem(struct sensor_client *client, struct client_object *object,
			struct nnipc_reader *in, struct nnipc_writer *out);
int serve_create_gralloc(struct sensor_client *client, struct client_object *object,
			 struct nnipc_reader *in, struct nnipc_writer *out);
int serve_create_queue(struct sensor_client *client, struct client_object *object,
		       struct nnipc_reader *in, struct nnipc_writer *out);
int serve_get_clients(struct sensor_client *client, struct client_object *object,
		      struct nnipc_reader *in, struct nnipc_writer *out);
/* IEventQueue */
int serve_queue_enable(struct sensor_client *client, struct client_object *object,
		       struct nnipc_reader *in, struct nnipc_writer *out);
int serve_queue_disable(struct sensor_client *client, struct client_object *object,
			struct nnipc_reader *in, struct nnipc_writer *out);
/* IDirectReportChannel */
int serve_channel_configure(struct sensor_client *client, struct client_object *object,
			    struct nnipc_reader *in, struct nnipc_writer *out);

/* All clients of the service. Any thread. */

struct sensor_client;

void client_registry_add(struct sensor_client *client);
void client_registry_remove(struct sensor_client *client);
/**
 * The clients that @user may see: its own; root sees all. An array of *@count that the caller
 * frees; at most @max. 0; -ENOMEM.
 */
int client_registry_list(uint32_t user, uint32_t max, struct nnsensors_client **clients,
			 uint32_t *count);

/* main.c: the command line of nnaccel-sensord. */

struct sensord_options {
	const char *listen; /* path of the socket; NULL: systemd passes one */
	mode_t mode; /* of the socket */
	gid_t group; /* of the socket; (gid_t)-1: as it is */
	struct sensord_config config; /* of the file, and what the command line says beyond it */
};

/* sensord_service.c: the service: its sensors, its socket, its end. */

/** Until SIGTERM or SIGINT. The exit status. */
int sensord_service(const struct sensord_options *options);

#endif
