// SPDX-License-Identifier: Apache-2.0
/* ASensorManager_*: the process's manager and its lists. */
#include <errno.h>
#include <stdlib.h>

#include "client/sensor_manager_proxy.h"
#include "ndk/sensor_ndk.h"
#include "nnutil_process.h"

/* ---- the instance ---- */

static pthread_mutex_t instance_lock = PTHREAD_MUTEX_INITIALIZER;
/* The newest one, under the lock. Older ones stay: the application may hold them. */
static struct ASensorManager *instance;

static void before_fork(void)
{
	pthread_mutex_lock(&instance_lock);
}

static void after_fork(bool child)
{
	(void)child;
	pthread_mutex_unlock(&instance_lock);
}

static struct nnutil_fork_handler fork_handler = { .before = before_fork, .after = after_fork };

static struct ASensorManager *connect_anew(void)
{
	struct ASensorManager *m = calloc(1, sizeof(*m));
	char message[256];

	if (!m)
		return NULL;
	if (nnsensors_manager_open(NULL, &m->manager, message, sizeof(message))) {
		nnutil_log_refusal("ASensorManager_getInstance", "%s", message);
		free(m);
		return NULL;
	}
	m->process = nnutil_process_number();
	pthread_mutex_init(&m->lock, NULL);
	return m;
}

ASensorManager *ASensorManager_getInstanceForPackage(const char *packageName)
{
	struct ASensorManager *m;

	(void)packageName;
	nnutil_process_watch(&fork_handler);
	pthread_mutex_lock(&instance_lock);
	m = instance;
	if (!m || nnsensors_manager_is_dead(m->manager)) {
		m = connect_anew();
		if (m) {
			m->older = instance;
			instance = m;
		}
	}
	pthread_mutex_unlock(&instance_lock);
	return m;
}

ASensorManager *ASensorManager_getInstance(void)
{
	return ASensorManager_getInstanceForPackage(NULL);
}

/* ---- sensors ---- */

/*
 * Under the lock: the sensor of that description, remembered from now on. A service does not use a
 * handle again, and a manager has one service. NULL: no memory.
 */
static struct ASensor *sensor_manager_remember(struct ASensorManager *m,
					       const struct nnsensors_info *info)
{
	struct ASensor *sensor;

	for (sensor = m->sensors; sensor; sensor = sensor->next)
		if (sensor->info.handle == info->handle)
			return sensor;
	sensor = malloc(sizeof(*sensor));
	if (!sensor)
		return NULL;
	sensor->info = *info;
	sensor->next = m->sensors;
	m->sensors = sensor;
	return sensor;
}

/* Under the lock: a list of those that have @flag. NULL: no memory. */
static struct sensor_ndk_list *make_list(struct ASensorManager *m,
					 const struct nnsensors_info *infos, uint32_t count,
					 uint32_t flag)
{
	struct sensor_ndk_list *list = malloc(sizeof(*list) + count * sizeof(list->sensors[0]));

	if (!list)
		return NULL;
	list->count = 0;
	for (uint32_t i = 0; i < count; i++) {
		if ((infos[i].flags & flag) != flag)
			continue;
		list->sensors[list->count] = sensor_manager_remember(m, &infos[i]);
		if (!list->sensors[list->count++]) {
			free(list);
			return NULL;
		}
	}
	return list;
}

static bool same_list(const struct sensor_ndk_list *a, const struct sensor_ndk_list *b)
{
	if (!a || a->count != b->count)
		return false;
	for (int i = 0; i < a->count; i++)
		if (a->sensors[i] != b->sensors[i])
			return false;
	return true;
}

/* The list of those that have @flag; one that did not change is the one of @newest. */
static int get_list(struct ASensorManager *m, struct sensor_ndk_list **newest, uint32_t flag,
		    struct sensor_ndk_list **result)
{
	struct nnsensors_info *infos = NULL;
	struct sensor_ndk_list *list;
	uint32_t count = 0;
	int ret;

	if (nnutil_process_inherited(m->process))
		return -ENODEV;
	ret = sensor_ndk_result(m->manager->ops->get_sensor_list(m->manager, &infos, &count));
	if (ret)
		return ret;
	pthread_mutex_lock(&m->lock);
	list = make_list(m, infos, count, flag);
	if (same_list(*newest, list)) {
		free(list);
	} else if (list) {
		list->older = *newest;
		*newest = list;
	}
	*result = list ? *newest : NULL;
	pthread_mutex_unlock(&m->lock);
	free(infos);
	return *result ? 0 : -ENOMEM;
}

int ASensorManager_getSensorList(ASensorManager *manager, ASensorList *list)
{
	struct sensor_ndk_list *all = NULL;
	int ret;

	if (!manager)
		return sensor_ndk_refuse(-EINVAL, "no manager");
	ret = get_list(manager, &manager->all, 0, &all);
	if (ret)
		return sensor_ndk_refuse(ret, "the list of sensors could not be had");
	if (list)
		*list = all->sensors;
	return all->count;
}

ssize_t ASensorManager_getDynamicSensorList(ASensorManager *manager, ASensorList *list)
{
	struct sensor_ndk_list *dynamic = NULL;
	int ret;

	if (!manager)
		return sensor_ndk_refuse(-EINVAL, "no manager");
	ret = get_list(manager, &manager->dynamic, NNSENSORS_FLAG_DYNAMIC, &dynamic);
	if (ret)
		return sensor_ndk_refuse(ret, "the list of sensors could not be had");
	if (list)
		*list = dynamic->count ? dynamic->sensors : NULL;
	return dynamic->count;
}

ASensor const *ASensorManager_getDefaultSensor(ASensorManager *manager, int type)
{
	struct nnsensors_info info = { .size = sizeof(info) };
	struct ASensor *sensor;

	if (!manager)
		return sensor_ndk_refuse(NULL, "no manager");
	if (manager->manager->ops->get_default_sensor(manager->manager, type, &info) !=
	    NNSENSORS_OK)
		return NULL;
	pthread_mutex_lock(&manager->lock);
	sensor = sensor_manager_remember(manager, &info);
	pthread_mutex_unlock(&manager->lock);
	return sensor;
}

ASensor const *ASensorManager_getDefaultSensorEx(ASensorManager *manager, int type, bool wakeUp)
{
	ASensorList list;
	int count;

	if (!manager)
		return sensor_ndk_refuse(NULL, "no manager");
	count = ASensorManager_getSensorList(manager, &list);
	for (int i = 0; i < count; i++)
		if (list[i]->info.type == type && ASensor_isWakeUpSensor(list[i]) == wakeUp)
			return list[i];
	return NULL;
}
