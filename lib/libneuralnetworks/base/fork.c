// SPDX-License-Identifier: Apache-2.0
/*
 * fork(). Objects of the parent that stand for work or for devices are not the child's: their plan,
 * their events and what devices hold. They answer DEAD_OBJECT, and freeing them touches nothing;
 * what is data only (models, memory from descriptors of files, handles of devices) goes on. A
 * compilation is between the two: what it says is data, so its plan is made anew when the child
 * first needs it. Documentation/manners.rst has the table.
 *
 * Locks of other threads: in the child the global ones are new, with what they guard, and those of
 * inherited objects are not taken. Nothing is waited for before the fork but an entry into the
 * table of extensions.
 */
#include "registry/registry.h"

atomic_uint nnr_process = 1;

static pthread_once_t watch_once = PTHREAD_ONCE_INIT;
/* Of plans that are made anew, and of memories that are taken over: one thread does it. */
static pthread_mutex_t renew_lock = PTHREAD_MUTEX_INITIALIZER;

static void before(void)
{
	nnr_extensions_fork(true);
}

static void after_in_parent(void)
{
	nnr_extensions_fork(false);
}

static void after_in_child(void)
{
	atomic_fetch_add_explicit(&nnr_process, 1, memory_order_relaxed);
	pthread_mutex_init(&renew_lock, NULL);
	nnr_extensions_fork(false);
	nnr_hotplug_forked(nnr_discovery_forked());
	nnr_threads_forked();
	nnr_staging_forked();
	nnr_contexts_forked();
	nnr_diagnostics_forked();
}

static void watch(void)
{
	pthread_atfork(before, after_in_parent, after_in_child);
}

void nnr_fork_watch(void)
{
	pthread_once(&watch_once, watch);
}

void nnr_memory_lock(ANeuralNetworksMemory *memory)
{
	const unsigned int process = nnr_process_number();

	if (atomic_load_explicit(&memory->process, memory_order_acquire) != process) {
		pthread_mutex_lock(&renew_lock);
		if (atomic_load_explicit(&memory->process, memory_order_relaxed) != process) {
			pthread_mutex_init(&memory->lock, NULL);
			atomic_store_explicit(&memory->process, process, memory_order_release);
		}
		pthread_mutex_unlock(&renew_lock);
	}
	pthread_mutex_lock(&memory->lock);
}

int nnr_compilation_renew(const ANeuralNetworksCompilation *compilation)
{
	/*
	 * const as the API has it where roles are added: what the application said does not change
	 */
	ANeuralNetworksCompilation *c = (ANeuralNetworksCompilation *)compilation;
	int result = ANEURALNETWORKS_NO_ERROR;
	struct nnr_report *report;
	struct nnr_plan *plan;

	if (!nnr_inherited(c->plan))
		return result;
	nnr_devices_refresh();
	pthread_mutex_lock(&renew_lock);
	if (nnr_inherited(c->plan)) {
		/* the parent's plan and report stay as they are: somebody may be looking at them */
		report = c->report;
		c->report = NULL;
		result = nnr_plan_build(c, nnr_deadline(c->timeout_ns), &plan);
		if (result == ANEURALNETWORKS_NO_ERROR)
			c->plan = plan;
		if (!c->report)
			c->report = report;
	}
	pthread_mutex_unlock(&renew_lock);
	if (result != ANEURALNETWORKS_NO_ERROR)
		nnutil_log(NNUTIL_LOG_ERROR,
			"a compilation from before fork() cannot be prepared in this process");
	return result;
}
