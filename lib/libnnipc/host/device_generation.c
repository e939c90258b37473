// SPDX-License-Identifier: Apache-2.0
/* The generations of a proxied device. */
#include "host/nnipc_host.h"

#include <errno.h>
#include <stdlib.h>

#include "nnutil_log.h"

/* By its bytes: they are all that a description has. */
static int copy_description(struct nnipc_description *to, const struct nnipc_description *from)
{
	struct nnipc_writer w = { 0 };
	struct nnipc_reader r;
	int ret;

	nnipc_put_description(&w, from);
	nnipc_reader_init(&r, w.data, w.size, NULL, 0);
	if (!w.error)
		nnipc_get_description(&r, to);
	ret = w.error ? w.error : nnipc_reader_end(&r);
	nnipc_writer_fini(&w);
	return ret;
}

int nnipc_device_new(const struct nnhal_device_ops *ops, struct nnipc_supervisor *supervisor,
		     struct nnipc_connection *c, struct nnipc_device **out)
{
	struct nnipc_device *dev = calloc(1, sizeof(*dev));

	if (!dev)
		return -ENOMEM;
	if (copy_description(&dev->description, nnipc_connection_description(c))) {
		nnipc_description_free(&dev->description);
		free(dev);
		return -ENOMEM;
	}
	dev->base.ops = ops;
	dev->process = nnutil_process_number();
	dev->supervisor = supervisor;
	dev->c = c;
	pthread_mutex_init(&dev->lock, NULL);
	pthread_cond_init(&dev->started, NULL);
	*out = dev;
	return 0;
}

void nnipc_device_free(struct nnipc_device *dev)
{
	nnipc_connection_put(dev->c);
	nnipc_description_free(&dev->description);
	pthread_cond_destroy(&dev->started);
	pthread_mutex_destroy(&dev->lock);
	free(dev);
}

struct nnipc_connection *nnipc_device_last(struct nnipc_device *dev)
{
	struct nnipc_connection *c;

	pthread_mutex_lock(&dev->lock);
	c = dev->c;
	nnipc_connection_get(c);
	pthread_mutex_unlock(&dev->lock);
	return c;
}

/* By the one thread that found none. */
static int device_generation_start(struct nnipc_device *dev, char *message)
{
	struct nnipc_connection *fresh, *old = NULL;
	int ret = nnipc_supervisor_start(dev->supervisor, &dev->description, &fresh, message,
					 NNHAL_MESSAGE);

	pthread_mutex_lock(&dev->lock);
	if (!ret) {
		old = dev->c;
		dev->c = fresh;
	}
	dev->out_of_service = ret == -ESTALE;
	dev->starting = false;
	pthread_cond_broadcast(&dev->started);
	pthread_mutex_unlock(&dev->lock);
	nnipc_connection_put(old);
	return ret;
}

int nnipc_device_generation(struct nnipc_device *dev, struct nnipc_connection **c, char *message)
{
	bool gone;
	int ret;

	for (;;) {
		pthread_mutex_lock(&dev->lock);
		while (dev->starting)
			pthread_cond_wait(&dev->started, &dev->lock);
		if (!nnipc_connection_is_dead(dev->c)) {
			*c = dev->c;
			nnipc_connection_get(*c);
			pthread_mutex_unlock(&dev->lock);
			return 0;
		}
		gone = dev->out_of_service;
		dev->starting = !gone;
		pthread_mutex_unlock(&dev->lock);
		if (gone)
			return nnutil_refuse(message, NNHAL_MESSAGE, -ESTALE,
					     "the device is out of service: its last worker had "
					     "another one; open the device anew");
		ret = device_generation_start(dev, message);
		if (ret)
			return ret;
	}
}
