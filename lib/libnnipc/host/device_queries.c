// SPDX-License-Identifier: Apache-2.0
/* Status, memory, and what tools ask of a proxied device. */
#include "host/nnipc_host.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "messages/nnipc_messages.h"
#include "nntrace.h"
#include "nnutil_file.h"
#include "values/nnhal_values.h"

/* The errno of a call that did not get through. */
static int errno_of(int error)
{
	switch (error) {
	case -EPIPE:
		return -ENODEV;
	case -EBADMSG:
	case -ESTALE:
		return -EIO;
	default:
		return error;
	}
}

/* A lane with the reply to a call; NULL with *@error, which is nnipc_call()'s. */
static struct nnipc_lane *query_send(struct nnipc_connection *c, uint32_t method,
				     const struct nnipc_device_create_memory *args, int *error)
{
	struct nnipc_lane *lane = nnipc_connection_lane(c, NNHAL_NO_TIME, error);

	if (!lane)
		return NULL;
	if (args)
		nnipc_put_device_create_memory(&lane->out, args);
	*error = nnipc_call(c, lane, method, 0, NNIPC_LIMIT_CALL, NNHAL_NO_TIME);
	if (!*error)
		return lane;
	nnipc_connection_give(c, lane);
	return NULL;
}

/* Give the lane back. @error, or -ENODEV: the reply is malformed or not @plausible. */
static int query_end(struct nnipc_connection *c, struct nnipc_lane *lane, int error, bool plausible,
		     const char *refusal)
{
	if (nnipc_reader_end(&lane->in.reader) || !plausible) {
		nnipc_connection_protocol_error(c, refusal);
		error = -ENODEV;
	}
	nnipc_connection_give(c, lane);
	return error;
}

/* ---- status ---- */

static enum nnhal_device_status status_of(struct nnipc_connection *c)
{
	struct nnipc_device_get_status_results results;
	struct nnipc_lane *lane;
	int ret;

	lane = query_send(c, NNIPC_DEVICE_GET_STATUS, NULL, &ret);
	if (!lane)
		return ret == -EPIPE ? NNHAL_OFFLINE : NNHAL_UNKNOWN;
	nnipc_get_device_get_status_results(&lane->in.reader, &results);
	if (query_end(c, lane, 0, true, "the status of the device is malformed"))
		return NNHAL_OFFLINE;
	return results.status < NNHAL_UNKNOWN ? (enum nnhal_device_status)results.status
					      : NNHAL_UNKNOWN;
}

enum nnhal_device_status nnipc_device_get_status(struct nnhal_device *base)
{
	NNTRACE_NAME_1("HIDL::IDevice::getStatus::client");
	struct nnipc_device *dev = (struct nnipc_device *)base;
	enum nnhal_device_status status;
	struct nnipc_connection *c;

	if (nnipc_device_inherited(dev))
		return NNHAL_OFFLINE;
	c = nnipc_device_last(dev);
	status = status_of(c);
	nnipc_connection_put(c);
	return status;
}

/* ---- memory ---- */

/*
 * The client maps it and trusts that the mapping stays: memory that the worker can shrink would
 * give the worker a way to kill the client.
 */
static bool stays(int fd, uint64_t size)
{
	const int seals = nnutil_memfd_seals(fd);
	struct stat st;

	if (seals < 0)
		return nnutil_is_dmabuf(fd);
	return seals & F_SEAL_SHRINK && !fstat(fd, &st) && (uint64_t)st.st_size >= size;
}

static int create_memory(struct nnipc_connection *c, uint64_t size, int *fd)
{
	const struct nnipc_device_create_memory args = { size };
	struct nnipc_device_create_memory_results made;
	struct nnipc_lane *lane;
	int ret;

	lane = query_send(c, NNIPC_DEVICE_CREATE_MEMORY, &args, &ret);
	if (!lane)
		return errno_of(ret);
	nnipc_get_device_create_memory_results(&lane->in.reader, &made);
	ret = query_end(c, lane, made.error, made.error || stays(made.fd, size),
			"the memory that it made can shrink, or is none");
	if (ret)
		nnipc_device_create_memory_results_free(&made);
	else
		*fd = made.fd;
	return ret;
}

int nnipc_device_create_memory(struct nnhal_device *base, uint64_t size, int *fd)
{
	struct nnipc_device *dev = (struct nnipc_device *)base;
	char message[NNHAL_MESSAGE];
	struct nnipc_connection *c;
	int ret;

	*fd = -1;
	if (size == 0 || size > INT64_MAX)
		return -EINVAL;
	if (nnipc_device_inherited(dev) || nnipc_device_generation(dev, &c, message))
		return -ENODEV;
	ret = create_memory(c, size, fd);
	nnipc_connection_put(c);
	return ret;
}

/* ---- for tools ---- */

static int vendor_info(struct nnipc_connection *c, struct nnhal_device_info *info)
{
	struct nnipc_device_get_info_results results = { .info = info };
	struct nnipc_lane *lane;
	int ret;

	lane = query_send(c, NNIPC_DEVICE_GET_INFO, NULL, &ret);
	if (!lane)
		return errno_of(ret);
	nnipc_get_device_get_info_results(&lane->in.reader, &results);
	return query_end(c, lane, results.error, true,
			 "the description of the device is malformed");
}

/* Beside what the vendor says: where its library runs. */
static void add_facts(struct nnipc_device *dev, struct nnipc_connection *c,
		      struct nnhal_device_info *info)
{
	struct nnipc_worker_facts facts;

	nnipc_connection_facts(c, &facts);
	info->isolation = facts.how == NNIPC_WORKER ? NNHAL_ISOLATION_WORKER
						    : NNHAL_ISOLATION_SERVICE;
	info->worker_pid = nnipc_connection_is_dead(c) ? 0 : facts.pid;
	info->worker_restarts = nnipc_supervisor_restarts(dev->supervisor);
	info->reserved = 0;
	_Static_assert(sizeof(info->sandbox) == sizeof(facts.layers.present) &&
			       sizeof(info->sandbox_missing) == sizeof(facts.layers.missing),
		       "texts of the sandbox");
	memcpy(info->sandbox, facts.layers.present, sizeof(facts.layers.present));
	memcpy(info->sandbox_missing, facts.layers.missing, sizeof(facts.layers.missing));
}

int nnipc_device_get_info(struct nnhal_device *base, struct nnhal_device_info *info)
{
	struct nnhal_device_info own = { .size = sizeof(own) };
	struct nnipc_device *dev = (struct nnipc_device *)base;
	struct nnipc_connection *c;
	int ret;

	if (nnipc_device_inherited(dev))
		return -ENODEV;
	c = nnipc_device_last(dev);
	ret = nnipc_connection_is_dead(c) ? -ENODEV : vendor_info(c, &own);
	own.size = sizeof(own);
	pthread_mutex_lock(&dev->lock);
	if (!ret) {
		dev->info = own;
	} else if (nnipc_connection_is_dead(c)) {
		/* what is known of it; the next call starts another worker */
		own = dev->info;
		own.state = NNHAL_STATE_FAILED;
		ret = 0;
	}
	pthread_mutex_unlock(&dev->lock);
	if (!ret)
		add_facts(dev, c, &own);
	nnipc_connection_put(c);
	if (ret)
		return ret;
	return nnmodel_sized_put(&nnhal_sized_info, info, &own) ? 0 : -EINVAL;
}

int nnipc_device_get_counters(struct nnhal_device *base, struct nnhal_counters *counters)
{
	struct nnhal_counters own = { .size = sizeof(own) };
	struct nnipc_device_get_counters_results results = { .counters = &own };
	struct nnipc_device *dev = (struct nnipc_device *)base;
	struct nnipc_connection *c;
	struct nnipc_lane *lane;
	int ret;

	if (nnipc_device_inherited(dev))
		return -ENODEV;
	c = nnipc_device_last(dev);
	lane = query_send(c, NNIPC_DEVICE_GET_COUNTERS, NULL, &ret);
	ret = errno_of(ret);
	if (lane) {
		nnipc_get_device_get_counters_results(&lane->in.reader, &results);
		ret = query_end(c, lane, results.error, true,
				"the counters of the device are malformed");
	}
	nnipc_connection_put(c);
	if (ret)
		return ret;
	return nnmodel_sized_put(&nnhal_sized_counters, counters, &own) ? 0 : -EINVAL;
}
