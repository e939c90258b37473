// SPDX-License-Identifier: Apache-2.0
/* The card behind the kernel driver: opening and queries. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xf86drm.h>

#include "nnutil_node.h"
#include "nnutil_process.h"
#include "nnutil_text.h"
#include "nnaccel/nnaccel_opset.h"
#include "transport/kernel_device.h"

#define DRIVER_MAJOR 1

static int query(const struct kernel *k, uint32_t type, void *data, size_t size)
{
	struct drm_nnaccel_dev_query q = {
		.type = type,
		.size = (uint32_t)size,
		.pointer = (uintptr_t)data,
	};

	return nnhal_kernel_ioctl(k, DRM_IOCTL_NNACCEL_DEV_QUERY, &q);
}

static enum nnhal_device_state state_of(uint32_t state)
{
	switch (state) {
	case DRM_NNACCEL_DEVICE_ONLINE:
		return NNHAL_STATE_ONLINE;
	case DRM_NNACCEL_DEVICE_RESETTING:
		return NNHAL_STATE_RESETTING;
	case DRM_NNACCEL_DEVICE_LINK_LOST:
		return NNHAL_STATE_LINK_LOST;
	case DRM_NNACCEL_DEVICE_FAILED:
		return NNHAL_STATE_FAILED;
	default:
		return NNHAL_STATE_UNKNOWN;
	}
}

static int kernel_info(struct nnhal_transport *t, struct nnhal_device_info *info)
{
	struct kernel *k = (struct kernel *)t;
	struct drm_nnaccel_device_info d = { 0 };
	int ret = query(k, DRM_NNACCEL_QUERY_DEVICE, &d, sizeof(d));

	if (ret)
		return ret;
	*info = (struct nnhal_device_info){
		.contract_version = d.contract_version,
		.fw_version = d.fw_version,
		.opset_version = d.opset_version,
		.generation = d.generation,
		.state = state_of(d.state),
		.arena_size = d.arena_size,
		.program_quota = d.program_quota,
		.driver_major = k->driver_major,
		.driver_minor = k->driver_minor,
	};
	snprintf(info->node, sizeof(info->node), "%s", k->node);
	return 0;
}

static int kernel_opset(struct nnhal_transport *t, void **bytes, size_t *size)
{
	struct kernel *k = (struct kernel *)t;
	struct drm_nnaccel_dev_query q = { .type = DRM_NNACCEL_QUERY_OPSET };
	int ret = nnhal_kernel_ioctl(k, DRM_IOCTL_NNACCEL_DEV_QUERY, &q);
	void *data;

	if (ret)
		return ret;
	if (q.size == 0 || q.size > NNACCEL_OPSET_MAX_SIZE)
		return -EPROTO;
	data = calloc(1, q.size);
	if (!data)
		return -ENOMEM;
	q.pointer = (uintptr_t)data;
	ret = nnhal_kernel_ioctl(k, DRM_IOCTL_NNACCEL_DEV_QUERY, &q);
	if (ret) {
		free(data);
		return ret;
	}
	*bytes = data;
	*size = q.size;
	return 0;
}

static void kernel_destroy(struct nnhal_transport *t)
{
	struct kernel *k = (struct kernel *)t;

	nnhal_kernel_jobs_fini(k);
	nnutil_fd_close(k->udmabuf);
	nnutil_fd_close(k->fd);
	pthread_mutex_destroy(&k->bos_lock);
	pthread_mutex_destroy(&k->jobs_lock);
	free(k);
}

static const struct nnhal_transport_ops kernel_ops = {
	.destroy = kernel_destroy,
	.info = kernel_info,
	.opset = kernel_opset,
	.mem_alloc = nnhal_kernel_mem_alloc,
	.mem_import = nnhal_kernel_mem_import,
	.mem_free = nnhal_kernel_mem_free,
	.mem_share = nnhal_kernel_mem_share,
	.program_hint = nnhal_kernel_program_hint,
	.queue_create = nnhal_kernel_queue_create,
	.queue_destroy = nnhal_kernel_queue_destroy,
	.submit = nnhal_kernel_submit,
	.wait = nnhal_kernel_wait,
	.export_fence = nnhal_kernel_export_fence,
	.job_free = nnhal_kernel_job_free,
};

static void explain_open(const char *node, int error, char *message, size_t size)
{
	switch (error) {
	case EACCES:
		snprintf(message, size,
			 "no permission for %s: join the group that owns it (render)", node);
		break;
	case EPERM: /* of the cgroup, whatever the node's mode is */
		snprintf(
			message, size,
			"the policy for devices here forbids %s: pass it to the container as a device, "
			"not as a volume (--device %s)",
			node, node);
		break;
	case ENOENT:
	case ENXIO:
	case ENODEV:
		snprintf(message, size,
			 "%s does not exist: is the nnaccel module loaded and a card present?",
			 node);
		break;
	default:
		snprintf(message, size, "cannot open %s: %s", node, strerror(error));
	}
}

static int check_driver(struct kernel *k, char *message, size_t size)
{
	drmVersionPtr v = drmGetVersion(k->fd);
	int ret = 0;

	if (!v || strcmp(v->name, "nnaccel")) {
		snprintf(message, size, "%s belongs to another driver (%s)", k->node,
			 v ? v->name : "not DRM");
		ret = -ENODEV;
	} else if (v->version_major != DRIVER_MAJOR) {
		snprintf(message, size,
			 "the nnaccel driver has version %d, this library needs version %d",
			 v->version_major, DRIVER_MAJOR);
		ret = -EPROTO;
	} else {
		k->driver_major = (uint32_t)v->version_major;
		k->driver_minor = (uint32_t)v->version_minor;
	}
	drmFreeVersion(v);
	return ret;
}

static int check_limits(struct kernel *k, char *message, size_t size)
{
	int ret = query(k, DRM_NNACCEL_QUERY_LIMITS, &k->limits, sizeof(k->limits));
	const struct drm_nnaccel_limits *l = &k->limits;

	if (ret) {
		snprintf(message, size, "cannot query the limits of %s: %s", k->node,
			 strerror(-ret));
		return ret;
	}
	if (!l->max_queues || !l->status_entries || l->max_queued_jobs < 2 || !l->max_args) {
		snprintf(message, size, "%s reports impossible limits", k->node);
		return -EPROTO;
	}
	return 0;
}

/*
 * "nnaccel-card0" for accel0 and renderD128. NNAPI requires one '-' in a name, so another path adds
 * none.
 */
static void set_name(struct kernel *k)
{
	const char *digits = k->node + strcspn(k->node, "0123456789");
	const char *name = strrchr(k->node, '/');
	uint64_t minor;
	char *p;

	if (name && nnutil_node_kind(name + 1) == &nnutil_node_kinds[1] &&
	    !nnutil_parse_u64(digits, 10, NNUTIL_NODE_FIRST_RENDER, UINT32_MAX, &minor))
		snprintf(k->base.name, sizeof(k->base.name), "nnaccel-card%u",
			 (unsigned int)minor - NNUTIL_NODE_FIRST_RENDER);
	else
		snprintf(k->base.name, sizeof(k->base.name), "nnaccel-card%s",
			 *digits ? digits : "0");
	for (p = k->base.name + strlen("nnaccel-"); *p; p++)
		if (*p == '-' || *p == '/')
			*p = '_';
}

int nnhal_transport_kernel_open(const char *node, struct nnhal_transport **out, char *message,
				size_t size)
{
	struct kernel *k = calloc(1, sizeof(*k));
	uint32_t entries;
	int ret;

	if (!k) {
		snprintf(message, size, "out of memory");
		return -ENOMEM;
	}
	snprintf(k->node, sizeof(k->node), "%s", node);
	pthread_mutex_init(&k->bos_lock, NULL);
	pthread_mutex_init(&k->jobs_lock, NULL);
	nnutil_process_watch(NULL);
	k->udmabuf = -1;
	k->fd = nnutil_fd_keep(open(node, O_RDWR | O_CLOEXEC));
	if (k->fd < 0) {
		ret = -errno;
		explain_open(node, errno, message, size);
		goto err;
	}
	ret = check_driver(k, message, size);
	if (!ret)
		ret = check_limits(k, message, size);
	if (ret)
		goto err;
	k->udmabuf = nnutil_fd_keep(open("/dev/udmabuf", O_RDWR | O_CLOEXEC));

	k->base.ops = &kernel_ops;
	k->base.type = NNHAL_DEVICE_ACCELERATOR;
	k->base.fences = true;
	k->base.op_times = true;
	k->base.max_queues = k->limits.max_queues;
	k->base.max_args = k->limits.max_args;
	/* few enough that each job is waited for before its entry of the status page is reused */
	entries = k->limits.status_entries / 2;
	k->base.max_inflight = k->limits.max_queued_jobs < entries ? k->limits.max_queued_jobs
								   : entries;
	if (!k->base.max_inflight)
		k->base.max_inflight = 1;
	set_name(k);
	*out = &k->base;
	return 0;
err:
	nnutil_fd_close(k->udmabuf);
	nnutil_fd_close(k->fd);
	pthread_mutex_destroy(&k->bos_lock);
	pthread_mutex_destroy(&k->jobs_lock);
	free(k);
	return ret;
}
