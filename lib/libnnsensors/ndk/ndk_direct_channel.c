// SPDX-License-Identifier: Apache-2.0
/* ASensorManager_*: direct channels, which Android's bridge for vendors lacks. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nativewindow.h"
#include "ndk/sensor_ndk.h"
#include "nnutil_process.h"

/* ---- channels and their numbers ---- */

/* 0: no memory, or no number is left. @channel becomes the manager's, or is destroyed. */
static int add_channel(struct ASensorManager *m, struct nnsensors_direct_channel *channel)
{
	struct sensor_ndk_channel *entry = malloc(sizeof(*entry));
	int id = 0;

	pthread_mutex_lock(&m->lock);
	if (entry && m->last_channel < INT_MAX) {
		id = ++m->last_channel;
		*entry = (struct sensor_ndk_channel){ m->channels, id, channel };
		m->channels = entry;
	}
	pthread_mutex_unlock(&m->lock);
	if (id)
		return id;
	free(entry);
	channel->ops->destroy(channel);
	return 0;
}

static struct nnsensors_direct_channel *find_channel(struct ASensorManager *m, int id)
{
	struct sensor_ndk_channel *entry;

	pthread_mutex_lock(&m->lock);
	for (entry = m->channels; entry && entry->id != id; entry = entry->next)
		;
	pthread_mutex_unlock(&m->lock);
	return entry ? entry->channel : NULL;
}

static struct nnsensors_direct_channel *take_channel(struct ASensorManager *m, int id)
{
	struct nnsensors_direct_channel *channel = NULL;
	struct sensor_ndk_channel **at, *entry;

	pthread_mutex_lock(&m->lock);
	for (at = &m->channels; *at && (*at)->id != id; at = &(*at)->next)
		;
	entry = *at;
	if (entry) {
		*at = entry->next;
		channel = entry->channel;
	}
	pthread_mutex_unlock(&m->lock);
	free(entry);
	return channel;
}

/* ---- memory ---- */

static int create_in_memory(struct ASensorManager *m, int fd, uint64_t mem_size, size_t size)
{
	struct nnsensors_direct_channel *channel;
	enum nnsensors_result result;

	result = m->manager->ops->create_ashmem_direct_channel(m->manager, fd, mem_size, size,
							       &channel);
	return result == NNSENSORS_OK ? add_channel(m, channel) : sensor_ndk_result(result);
}

static int create_in_dmabuf(struct ASensorManager *m, int fd, size_t size)
{
	struct nnsensors_direct_channel *channel;
	enum nnsensors_result result;

	result = m->manager->ops->create_gralloc_direct_channel(m->manager, fd, size, &channel);
	return result == NNSENSORS_OK ? add_channel(m, channel) : sensor_ndk_result(result);
}

int ASensorManager_createSharedMemoryDirectChannel(ASensorManager *manager, int fd, size_t size)
{
	struct stat st;
	int ret;

	if (!manager || nnutil_process_inherited(manager->process))
		return sensor_ndk_refuse(manager ? -ENODEV : -EINVAL, "no manager");
	if (fstat(fd, &st))
		return sensor_ndk_refuse(-EINVAL, "fd %d: %s", fd, strerror(errno));
	ret = create_in_memory(manager, fd, st.st_size < 0 ? 0 : (uint64_t)st.st_size, size);
	if (ret <= 0)
		return sensor_ndk_refuse(ret, "no channel of %zu bytes in memory of %lld", size,
					 (long long)st.st_size);
	return ret;
}

/* NULL: the process has not loaded nnaccel's libnativewindow.so, or not yet. It is never unloaded.
 */
static nnaccel_hardware_buffer_open_fn *find_open(void)
{
	void *library = dlopen("libnativewindow.so", RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
	nnaccel_hardware_buffer_open_fn *found;

	if (!library)
		return NULL;
	found = (nnaccel_hardware_buffer_open_fn *)dlsym(library, "nnaccelHardwareBuffer_open");
	dlclose(library);
	return found;
}

int ASensorManager_createHardwareBufferDirectChannel(ASensorManager *manager,
						     AHardwareBuffer const *buffer, size_t size)
{
	nnaccel_hardware_buffer_open_fn *open_fn;
	AHardwareBuffer_Desc desc;
	uint64_t buffer_size;
	int fd, prot, ret;

	if (!manager || nnutil_process_inherited(manager->process))
		return sensor_ndk_refuse(manager ? -ENODEV : -EINVAL, "no manager");
	open_fn = find_open();
	fd = open_fn && buffer ? open_fn(buffer, &desc, &prot, &buffer_size) : -EINVAL;
	if (fd < 0)
		return sensor_ndk_refuse(fd, "%p is not a buffer of nnaccel's libnativewindow.so%s",
					 (const void *)buffer,
					 open_fn ? "" : ", which is not loaded");
	if (desc.format != AHARDWAREBUFFER_FORMAT_BLOB || size > buffer_size)
		ret = -EINVAL;
	else if (fcntl(fd, F_GET_SEALS) >= 0)
		/* where there is no dma-buf, a buffer is a memfd */
		ret = create_in_memory(manager, fd, buffer_size, size);
	else
		ret = create_in_dmabuf(manager, fd, size);
	close(fd);
	if (ret <= 0)
		return sensor_ndk_refuse(ret,
					 "no channel of %zu bytes in a buffer of %llu, format %u",
					 size, (unsigned long long)buffer_size, desc.format);
	return ret;
}

/* ---- use ---- */

void ASensorManager_destroyDirectChannel(ASensorManager *manager, int channelId)
{
	struct nnsensors_direct_channel *channel;

	/* in a child of fork() it is the parent's, and so is the lock */
	if (!manager || nnutil_process_inherited(manager->process))
		return;
	channel = take_channel(manager, channelId);
	if (channel)
		channel->ops->destroy(channel);
	else
		nnutil_log_refusal(__func__, "there is no channel %d", channelId);
}

int ASensorManager_configureDirectReport(ASensorManager *manager, ASensor const *sensor,
					 int channelId, int rate)
{
	struct nnsensors_direct_channel *channel;
	enum nnsensors_result result;
	int32_t token = 0;

	if (!manager || nnutil_process_inherited(manager->process))
		return sensor_ndk_refuse(manager ? -ENODEV : -EINVAL, "no manager");
	if (!sensor && rate != ASENSOR_DIRECT_RATE_STOP)
		return sensor_ndk_refuse(-EINVAL, "without a sensor only STOP is possible");
	channel = find_channel(manager, channelId);
	if (!channel)
		return sensor_ndk_refuse(-EINVAL, "there is no channel %d", channelId);
	result = channel->ops->configure(channel, sensor ? sensor->info.handle : -1,
					 (enum nnsensors_rate_level)rate, &token);
	if (result != NNSENSORS_OK)
		return sensor_ndk_refuse(sensor_ndk_result(result), "rate level %d: %s", rate,
					 nnsensors_result_name(result));
	return token;
}
