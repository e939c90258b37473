// SPDX-License-Identifier: Apache-2.0
/* A device: creation and references. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/nnhal_device.h"
#include "nnhal_config.h"

struct nnhal_dev *nnhal_dev_get(struct nnhal_dev *dev)
{
	nnhal_ref_get(&dev->ref);
	return dev;
}

static void dev_free(struct nnhal_ref *ref)
{
	struct nnhal_dev *dev = (struct nnhal_dev *)((char *)ref - offsetof(struct nnhal_dev, ref));

	nnhal_queues_fini(&dev->queues);
	nnhal_imports_fini(&dev->imports);
	nnhal_buffers_fini(&dev->buffers);
	dev->t->ops->destroy(dev->t);
	nnhal_reaper_fini(&dev->reaper);
	free(dev);
}

void nnhal_dev_put(struct nnhal_dev *dev)
{
	nnhal_ref_put(&dev->ref);
}

/* Why a device has no operation set. */
static const char *opset_missing(struct nnhal_dev *dev)
{
	struct nnhal_device_info info;

	if (!dev->t->ops->info(dev->t, &info) && info.state == NNHAL_STATE_FAILED)
		return "the firmware of the card cannot be used: see the kernel log for the reason";
	return "the card never answered: is nnaccel-slot running, and its card?";
}

static int load_opset(struct nnhal_dev *dev, char *message, size_t size)
{
	void *bytes;
	size_t len;
	int ret;

	ret = dev->t->ops->opset(dev->t, &bytes, &len);
	if (ret == -ENODATA) {
		snprintf(message, size, "%s", opset_missing(dev));
		return ret;
	}
	if (ret) {
		snprintf(message, size, "cannot read the operation set: %s", strerror(-ret));
		return ret;
	}
	ret = nnhal_opset_parse(bytes, len, &dev->opset);
	if (ret)
		snprintf(message, size, "the firmware's operation set is malformed");
	free(bytes);
	return ret;
}

int nnhal_dev_new(struct nnhal_transport *t, const struct nnhal_device_ops *ops,
		  const struct nnhal_prepared_model_ops *pm_ops, struct nnhal_dev **out,
		  char *message, size_t size)
{
	struct nnhal_device_info info = { 0 };
	struct nnhal_dev *dev;
	const char *fences;
	int ret;

	dev = calloc(1, sizeof(*dev));
	if (!dev) {
		snprintf(message, size, "out of memory");
		return -ENOMEM;
	}
	dev->base.ops = ops;
	dev->pm_ops = pm_ops;
	dev->t = t;
	nnutil_process_watch(NULL);
	dev->process = nnutil_process_number();
	fences = secure_getenv("NNACCEL_FENCES");
	dev->user_fences = fences && !strcmp(fences, "1");
	nnhal_ref_init(&dev->ref, dev_free);
	ret = load_opset(dev, message, size);
	if (!ret) {
		ret = t->ops->info(t, &info);
		if (ret)
			snprintf(message, size, "cannot query the device: %s", strerror(-ret));
	}
	if (ret) {
		free(dev);
		return ret;
	}
	snprintf(dev->version, sizeof(dev->version),
		 "nnaccel " NNHAL_PROJECT_VERSION " fw %u.%u.%u", info.fw_version >> 16,
		 info.fw_version >> 8 & 0xff, info.fw_version & 0xff);
	nnhal_queues_init(&dev->queues, t);
	nnhal_imports_init(&dev->imports, t, &dev->ref);
	nnhal_reaper_init(&dev->reaper, &dev->ref);
	nnhal_buffers_init(&dev->buffers, t, &dev->ref, dev->process);
	*out = dev;
	return 0;
}
