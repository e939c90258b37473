// SPDX-License-Identifier: Apache-2.0
/*
 * In the order of dependence: sensors, the socket, clients; back in the opposite order. A client
 * whose call hangs in hardware does not hold up the end for longer than GRACE_NS.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "nnutil_clock.h"
#include "nnutil_log.h"
#include "nnutil_process.h"

#include "core/sensord_core.h"
#include "fusion/sensord_fusion.h"
#include "iio/sensord_iio.h"
#include "messages/sensor_messages.h"
#include "serve/sensord_serve.h"
#include "virtual/sensord_virtual.h"
#include "wire/nnipc_wire.h"

/* 0: the client speaks our version and has our HELLO. */
static int service_greet(int sock)
{
	struct nnipc_frame f = { .no_calls = true };
	struct nnipc_writer w = { 0 };
	uint32_t lowest, highest;
	bool speaks;
	int ret = nnipc_hello_receive(sock, &f, NNIPC_PATIENCE_NS);

	lowest = nnipc_get_u32(&f.reader);
	highest = nnipc_get_u32(&f.reader);
	if (!ret)
		ret = nnipc_reader_end(&f.reader);
	nnipc_frame_fini(&f);
	if (ret)
		return ret;
	speaks = lowest <= SENSOR_PROTOCOL_VERSION && SENSOR_PROTOCOL_VERSION <= highest;
	nnipc_put_u32(&w, speaks ? SENSOR_PROTOCOL_VERSION : 0);
	nnipc_put_text(&w, speaks ? "" : "this service speaks version 1 only");
	ret = nnipc_hello_send(sock, &w);
	return ret ? ret : speaks ? 0 : -EPROTO;
}

static int call(void *cookie, const struct nnipc_header *header, struct nnipc_reader *in,
		struct nnipc_writer *out)
{
	return sensor_servant_call(cookie, header, in, out);
}

/* Calls of no method have many descriptors: a client cannot fill the service's table of them. */
static int answer_calls(struct sensor_client *client)
{
	struct nnipc_frame in = { .few_fds = true };
	struct nnipc_writer out = { 0 };
	int ret;

	do
		ret = nnipc_lane_answer(client->peer.sock, call, client, &in, &out);
	while (!ret);
	nnipc_frame_fini(&in);
	nnipc_writer_fini(&out);
	return ret == -EPIPE ? 0 : ret;
}

/*
 * client_connection_serve() - answer a client until it hangs up; then all that it had is gone
 * @config: constant
 * @budget: of all clients
 * @log: for lines about clients
 * @peer: its HELLO can be received; the socket stays the caller's
 */
static void client_connection_serve(const struct sensord_config *config,
				    struct nnipc_budget *budget, struct nnipc_user_log *log,
				    const struct nnipc_peer *peer)
{
	struct sensor_client client;
	int ret = service_greet(peer->sock);

	if (!ret)
		ret = sensor_client_init(&client, config, budget, peer);
	if (ret) {
		nnipc_user_log(log, peer->payer, "client %d of user %u is not served: %s",
			       (int)peer->pid, peer->user, strerror(-ret));
		return;
	}
	nnutil_log(NNUTIL_LOG_DEBUG, "client %d of user %u is served", (int)peer->pid, peer->user);
	client_registry_add(&client);
	ret = answer_calls(&client);
	if (ret)
		nnipc_user_log(log, peer->payer, "client %d of user %u is cut: %s", (int)peer->pid,
			       peer->user, strerror(-ret));
	/* in this order: a client that is not listed any more has nothing left */
	sensor_client_clear(&client);
	client_registry_remove(&client);
	sensor_client_fini(&client);
	nnutil_log(NNUTIL_LOG_DEBUG, "client %d of user %u has ended", (int)peer->pid, peer->user);
}

static int start_virtual(const struct sensord_config *config)
{
	char message[512];
	int ret = 0;

	for (size_t i = 0; !ret && i < config->num_virtual; i++) {
		ret = virtual_sensors_add(config->virtual_files[i], message, sizeof(message));
		if (ret)
			nnutil_log(NNUTIL_LOG_ERROR, "%s", message);
	}
	return ret;
}

/* The main thread's. */
static bool iio_runs, fusion_runs;

/* Whether it runs now. */
static bool service_start(const char *name, bool is_wanted, int (*sensors_start)(void))
{
	const int error = is_wanted ? sensors_start() : 0;

	if (error)
		nnutil_log(NNUTIL_LOG_ERROR, "sensors of %s cannot be served: %s", name,
			   strerror(-error));
	return is_wanted && !error;
}

/*
 * Start what the configuration asks for. A file of virtual sensors that is wrong is an error; the
 * kernel's or fused sensors that cannot be served are a line in the log. 0 or -errno.
 */
static int backends_start(const struct sensord_config *config)
{
	const int ret = start_virtual(config);

	if (ret) {
		sensor_list_clear();
		return ret;
	}
	iio_runs = service_start("iio", config->iio, iio_sensors_start);
	/* fused sensors live on the others */
	fusion_runs = service_start("fusion", config->fusion, fused_sensors_start);
	return 0;
}

/* Stop them; all sensors are gone. */
static void backends_stop(void)
{
	if (fusion_runs)
		fused_sensors_stop();
	if (iio_runs)
		iio_sensors_stop();
	sensor_list_clear();
}

#define GRACE_NS (5 * NNUTIL_NS_PER_S)

/* ---- the socket ---- */

static int open_listener(const struct sensord_options *options)
{
	const char *where = options->listen ? options->listen : "systemd's socket";
	const int sock = options->listen
				 ? nnipc_listen(options->listen, options->mode, options->group)
				 : nnipc_listen_passed();

	if (sock == -ENOENT && !options->listen)
		nnutil_log(NNUTIL_LOG_ERROR, "no --listen, and systemd has passed no socket");
	else if (sock < 0)
		nnutil_log(NNUTIL_LOG_ERROR, "cannot listen on %s: %s", where, strerror(-sock));
	else
		nnutil_log(NNUTIL_LOG_INFO, "listens on %s", where);
	return sock;
}

/* ---- the service ---- */

static void write_line(const char *line)
{
	nnutil_log(NNUTIL_LOG_INFO, "%s", line);
}

static struct nnipc_budget budget;
static struct nnipc_user_log user_log = NNIPC_USER_LOG_INIT(write_line);

static void service_serve(void *config, struct nnipc_peer *peer)
{
	client_connection_serve(config, &budget, &user_log, peer);
}

/* Each queue of each client takes two descriptors. */
static void raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* False: a client is still served, and uses what this thread has. */
static bool service_run(const struct sensord_options *options, int signals, int *status)
{
	static struct nnipc_door door;
	static struct nnipc_door_guard guard;
	const int listener = open_listener(options);
	bool empty;

	guard = (struct nnipc_door_guard){
		.max = options->config.limits.connections,
		.max_per_user = options->config.limits.connections_per_user,
		.things = "connections",
		.serve = service_serve,
		.cookie = (void *)(uintptr_t)&options->config,
		.log = &user_log,
	};
	*status = EXIT_FAILURE;
	if (listener < 0)
		return true;
	client_budget_init(&budget, &options->config.limits);
	nnipc_door_init(&door, &guard);
	nnipc_door_run(&door, listener, signals);
	if (options->listen)
		unlink(options->listen);
	close(listener);
	empty = nnipc_door_close(&door, GRACE_NS);
	if (empty)
		*status = EXIT_SUCCESS;
	return empty;
}

int sensord_service(const struct sensord_options *options)
{
	const int signals = nnutil_signals_ends();
	int status = EXIT_FAILURE;

	raise_descriptor_limit();
	channel_fault_prepare();
	if (signals < 0 || backends_start(&options->config))
		return EXIT_FAILURE;
	if (!service_run(options, signals, &status)) {
		nnutil_log(NNUTIL_LOG_ERROR, "ends, though calls of clients hang");
		_exit(EXIT_FAILURE);
	}
	backends_stop();
	if (status == EXIT_SUCCESS)
		nnutil_log(NNUTIL_LOG_INFO, "ends");
	close(signals);
	return status;
}
