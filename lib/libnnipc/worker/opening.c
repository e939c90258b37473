// SPDX-License-Identifier: Apache-2.0
/* From HELLO to the reply to OPEN. */
#include "worker/nnipc_worker.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "messages/nnipc_messages.h"
#include "nnipc_worker_config.h"
#include "nnutil_clock.h"
#include "nnutil_log.h"
#include "wire/nnipc_wire.h"

/* A client that connects and says nothing keeps no worker. */
#define PATIENCE_NS (5 * NNUTIL_NS_PER_S)

static int handshake_receive(int sock, struct nnipc_hello *hello)
{
	struct nnipc_frame f = { 0 };
	int ret = nnipc_hello_receive(sock, &f, PATIENCE_NS);

	if (!ret) {
		nnipc_get_hello(&f.reader, hello); /* the page size: the kernel is the same */
		ret = nnipc_reader_end(&f.reader);
	}
	nnipc_frame_fini(&f);
	return ret;
}

static int handshake_answer(int sock, const char *driver, const char *refusal)
{
	const struct nnipc_welcome welcome = { (uint32_t)sysconf(_SC_PAGESIZE), NNIPC_WORKER_BUILD,
					       driver };
	struct nnipc_writer out = { 0 };

	nnipc_put_u32(&out, refusal ? 0 : NNIPC_VERSION);
	if (refusal)
		nnipc_put_text(&out, refusal);
	else
		nnipc_put_welcome(&out, &welcome);
	return nnipc_hello_send(sock, &out);
}

int nnipc_handshake(int sock, const char *driver, const char *refusal)
{
	struct nnipc_hello hello = { 0 };
	char wrong[96];
	int ret = handshake_receive(sock, &hello);

	if (ret) {
		if (ret != -EPIPE)
			nnutil_log(NNUTIL_LOG_ERROR, "no HELLO of a client: %s", strerror(-ret));
		return ret;
	}
	nnipc_fault_point("before-hello");
	if (!refusal && (hello.least > NNIPC_VERSION || hello.greatest < NNIPC_VERSION)) {
		snprintf(wrong, sizeof(wrong),
			 "the worker speaks version %u of the protocol, the client %u to %u",
			 NNIPC_VERSION, hello.least, hello.greatest);
		nnutil_log(NNUTIL_LOG_ERROR, "%s", wrong);
		refusal = wrong;
	}
	ret = handshake_answer(sock, driver, refusal);
	nnipc_fault_point("after-hello");
	return ret ? ret : refusal ? -EPROTO : 0;
}

/*
 * What libc and the vendor library open at their first use. The system call filter ends a process
 * that opens a file, so a use that may come later comes here first.
 */

#define BLOCKS 64u
#define BLOCK_SIZE 65536u
/* heaps of malloc for each processor; malloc's own number */
#define ARENAS_PER_CPU 8
#define SORTED 1024u

/*
 * A thread's heap that shrinks makes malloc read /proc/sys/vm/overcommit_memory, once in a process.
 * The main thread has no such heap.
 */
static void *shrink_heap(void *unused)
{
	void *volatile blocks[BLOCKS];

	for (uint32_t i = 0; i < BLOCKS; i++)
		blocks[i] = malloc(BLOCK_SIZE);
	for (uint32_t i = BLOCKS; i-- > 0;)
		free(blocks[i]);
	return unused;
}

/* With a limit of its own, malloc does not count processors when the ninth thread comes. */
static void limit_arenas(void)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	mallopt(M_ARENA_MAX, ARENAS_PER_CPU * (int)(processors > 0 ? processors : 1));
}

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* The first larger one asks how much memory the machine has. */
static void opening_sort(void)
{
	int numbers[SORTED];

	for (uint32_t i = 0; i < SORTED; i++)
		numbers[i] = (int)(i * 7919u % SORTED);
	qsort(numbers, SORTED, sizeof(numbers[0]), by_number);
}

static void warm_up(struct nnhal_device *dev)
{
	struct nnhal_device_info info = { .size = sizeof(info) };
	pthread_t thread;
	char byte;

	tzset();
	sysconf(_SC_NPROCESSORS_CONF);
	limit_arenas();
	opening_sort();
	sysconf(_SC_PHYS_PAGES);
	if (getrandom(&byte, 1, 0) < 0)
		return;
	if (!pthread_create(&thread, NULL, shrink_heap, NULL))
		pthread_join(thread, NULL);
	dev->ops->get_status(dev);
	if (NNIPC_HAS(nnhal_device_ops, dev->ops, get_info))
		dev->ops->get_info(dev, &info);
}

#define MESSAGE_SIZE 512u

struct opening {
	const struct nnhal_driver *driver;
	struct nnipc_sandbox *sandbox;
	struct nnhal_device *device;
	bool open_received;
};

/* ---- ENUMERATE ---- */

static int opening_found(void *cookie, const char *spec)
{
	struct nnipc_specifications *specs = cookie;
	char *copy;

	if (!spec)
		return 0;
	if (specs->count == NNIPC_MAX_SPECS) /* a vendor library that does not stop */
		return 1;
	copy = strdup(spec);
	if (!copy)
		return -ENOMEM;
	specs->list[specs->count++] = copy;
	return specs->count == NNIPC_MAX_SPECS;
}

static int opening_enumerate(struct opening *o, struct nnipc_reader *in, struct nnipc_writer *out)
{
	struct nnipc_specifications specs = { 0 };
	char message[MESSAGE_SIZE] = "";
	int ret = nnipc_reader_end(in);

	if (ret)
		return ret;
	specs.list = calloc(NNIPC_MAX_SPECS, sizeof(char *));
	ret = specs.list ? o->driver->enumerate(opening_found, &specs) : -ENOMEM;
	if (ret > 0) /* opening_found() has stopped it */
		ret = 0;
	if (ret)
		nnutil_refuse(message, sizeof(message), ret, "%s cannot enumerate devices: %s",
			      o->driver->name, strerror(-ret));
	nnipc_put_outcome(out, &(struct nnipc_outcome){ ret, message });
	nnipc_put_specifications(out, ret ? &(struct nnipc_specifications){ 0 } : &specs);
	nnipc_specifications_free(&specs);
	nnipc_fault_point("before-enumerate-reply");
	return 0;
}

/* ---- OPEN ---- */

static int open_device(struct opening *o, const char *spec, struct nnipc_description *d,
		       char *message)
{
	struct nnhal_device *dev = NULL;
	int ret = o->driver->open(spec, &dev, message, MESSAGE_SIZE);

	if (ret)
		return ret < 0 ? ret : -EIO;
	if (!nnipc_device_complete(dev)) {
		NNIPC_DESTROY(nnhal_device_ops, dev);
		return nnutil_refuse(message, MESSAGE_SIZE, -EINVAL,
				     "%s opened no device, or one with an incomplete table",
				     o->driver->name);
	}
	/* also has the device read what it reads at the first question */
	ret = nnipc_describe(dev, d);
	if (ret)
		nnutil_refuse(message, MESSAGE_SIZE, ret, "cannot describe the device of %s: %s",
			      o->driver->name,
			      ret == -EINVAL ? "it has no name or version" : strerror(-ret));
	message[0] = ret ? message[0] : '\0';
	if (!ret) {
		warm_up(dev);
		ret = nnipc_sandbox_lock(o->sandbox, message, MESSAGE_SIZE);
	}
	if (ret)
		dev->ops->destroy(dev);
	else
		o->device = dev;
	return ret;
}

static uint32_t missing_layers(const struct nnipc_sandbox *sandbox)
{
	return sandbox->mode == NNIPC_SANDBOX_OFF ? 0 : NNIPC_LAYER_ALL & ~sandbox->layers;
}

static void put_opened(const struct opening *o, struct nnipc_description *d,
		       struct nnipc_writer *out)
{
	struct nnipc_layers layers;
	const struct nnipc_opened opened = { d, &layers };

	nnipc_layers_text(o->sandbox->layers, layers.present, sizeof(layers.present));
	nnipc_layers_text(missing_layers(o->sandbox), layers.missing, sizeof(layers.missing));
	nnipc_put_opened(out, &opened);
}

static int open_call(struct opening *o, struct nnipc_reader *in, struct nnipc_writer *out)
{
	char message[MESSAGE_SIZE] = "";
	struct nnipc_description d = { 0 };
	struct nnipc_session_open args;
	int ret;

	nnipc_get_session_open(in, &args);
	ret = nnipc_reader_end(in);
	if (ret) {
		nnipc_session_open_free(&args);
		return ret;
	}
	o->open_received = true;
	nnipc_fault_point("before-open");
	ret = open_device(o, args.specification, &d, message);
	nnipc_session_open_free(&args);
	if (ret && !message[0])
		nnutil_refuse(message, sizeof(message), ret, "%s cannot open the device: %s",
			      o->driver->name, strerror(-ret));
	nnipc_put_outcome(out, &(struct nnipc_outcome){ ret, message });
	if (!ret)
		put_opened(o, &d, out);
	nnipc_description_free(&d);
	nnipc_fault_point("before-open-reply");
	return 0;
}

static int opening_handle(void *cookie, const struct nnipc_header *header, struct nnipc_reader *in,
			  struct nnipc_writer *out)
{
	if (header->method == NNIPC_SESSION_ENUMERATE)
		return opening_enumerate(cookie, in, out);
	if (header->method == NNIPC_SESSION_OPEN)
		return open_call(cookie, in, out);
	return -EOPNOTSUPP;
}

int nnipc_opening(int sock, const struct nnhal_driver *driver, struct nnipc_sandbox *sandbox,
		  struct nnhal_device **device)
{
	struct opening o = { .driver = driver, .sandbox = sandbox };
	struct nnipc_frame in = { 0 };
	struct nnipc_writer out = { 0 };
	int ret = 0;

	while (!ret && !o.open_received)
		ret = nnipc_lane_answer(sock, opening_handle, &o, &in, &out);
	nnipc_frame_fini(&in);
	nnipc_writer_fini(&out);
	nnipc_fault_point("after-open-reply");
	*device = o.device;
	return ret;
}
