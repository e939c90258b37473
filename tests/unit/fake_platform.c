// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fake_platform.h"
#include "test_case.h"

/** The first address of [addr, addr + len) that the context cannot reach, or 0. */
static uint64_t find_fault(struct fake *fake, uint32_t context, uint64_t addr, uint64_t len,
			   bool write)
{
	uint64_t fault = addr;

	pthread_mutex_lock(&fake->lock);
	for (uint32_t i = 0; i < fake->num_ranges[context]; i++) {
		const struct fake_range *r = &fake->ranges[context][i];

		if (addr < r->addr || addr >= r->addr + r->len || (write && !r->write))
			continue;
		fault = len <= r->addr + r->len - addr ? 0 : r->addr + r->len;
		break;
	}
	pthread_mutex_unlock(&fake->lock);
	return fault;
}

static int map(void *priv, uint32_t context, uint64_t addr, uint64_t len, bool write,
	       struct nnfw_map *m, uint64_t *fault)
{
	struct fake *fake = priv;
	uint64_t bad;

	if (!len)
		abort();
	bad = find_fault(fake, context, addr, len, write);
	if (bad) {
		*fault = bad;
		return -EFAULT;
	}
	*m = (struct nnfw_map){
		.ptr = (void *)(uintptr_t)addr,
		.addr = addr,
		.len = len,
		.write = write,
		.constant = fake->constant && !write,
	};
	if (fake->bounce) {
		m->ptr = malloc(len);
		if (!m->ptr)
			return -ENOMEM;
		m->bounced = true;
		/* the contents of a write map are undefined until it is written */
		if (write)
			memset(m->ptr, 0xa5, len);
		else
			memcpy(m->ptr, (void *)(uintptr_t)addr, len);
	}
	if (fake->on_map)
		fake->on_map(fake, context, addr, len, write);
	atomic_fetch_add(&fake->maps, 1);
	atomic_fetch_add(&fake->maps_made, 1);
	return 0;
}

static void unmap(void *priv, uint32_t context, struct nnfw_map *m, bool commit)
{
	struct fake *fake = priv;

	if (m->bounced) {
		if (m->write && commit)
			memcpy((void *)(uintptr_t)m->addr, m->ptr, m->len);
		free(m->ptr);
	}
	atomic_fetch_sub(&fake->maps, 1);
	if (fake->on_unmap)
		fake->on_unmap(fake, context, m->addr, m->len);
}

static uint64_t clock_ns(void *priv)
{
	struct fake *fake = priv;
	struct timespec ts;

	if (fake->clock_step)
		return atomic_fetch_add(&fake->clock, fake->clock_step);
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void complete(void *priv, const struct nnaccel_completion *c)
{
	struct fake *fake = priv;

	pthread_mutex_lock(&fake->lock);
	if (fake->num_completions == fake->max_completions) {
		size_t max = fake->max_completions ? 2 * fake->max_completions : 64;
		void *p = realloc(fake->completions, max * sizeof(*c));

		if (!p)
			abort();
		fake->completions = p;
		fake->max_completions = max;
	}
	fake->completions[fake->num_completions++] = *c;
	if (c->seqno != fake->seqno[c->queue] + 1 || c->end_ns < c->start_ns)
		fake->disorder++;
	fake->seqno[c->queue] = c->seqno;
	pthread_cond_broadcast(&fake->done);
	pthread_mutex_unlock(&fake->lock);
}

static void progress(void *priv, uint32_t queue, uint64_t count, uint64_t seqno)
{
	struct fake *fake = priv;

	if (fake->on_progress)
		fake->on_progress(fake, queue, count, seqno);
}

static void turn(void *priv, uint32_t queue, uint64_t seqno, bool on)
{
	struct fake *fake = priv;

	if (fake->on_turn)
		fake->on_turn(fake, queue, seqno, on);
}

static void discard(void *priv, const struct nnfw_map *m, void *from, size_t size)
{
	struct fake *fake = priv;

	fake->on_discard(fake, m, from, size);
}

void fake_start(struct fake *fake, const struct nnfw_config *config)
{
	struct nnfw_config standard = { .abi_version = NNFW_ABI_VERSION, .generation = 7 };

	pthread_mutex_init(&fake->lock, NULL);
	pthread_cond_init(&fake->done, NULL);
	fake->platform = (struct nnfw_platform){ fake,	   map,	     unmap, clock_ns,
						 complete, progress, turn,  NULL };
	if (fake->on_discard)
		fake->platform.dma_discard = discard;
	assert_int_equal(nnfw_create(&fake->platform, config ? config : &standard, &fake->fw), 0);
}

void fake_stop(struct fake *fake)
{
	nnfw_destroy(fake->fw);
	assert_int_equal(atomic_load(&fake->maps), 0);
	assert_int_equal(fake->disorder, 0);
	free(fake->completions);
	pthread_cond_destroy(&fake->done);
	pthread_mutex_destroy(&fake->lock);
	memset(fake, 0, sizeof(*fake));
}

void fake_allow(struct fake *fake, uint32_t context, const void *p, uint64_t len, bool write)
{
	pthread_mutex_lock(&fake->lock);
	if (fake->num_ranges[context] >= FAKE_RANGES)
		abort();
	fake->ranges[context][fake->num_ranges[context]++] =
		(struct fake_range){ (uintptr_t)p, len, write };
	pthread_mutex_unlock(&fake->lock);
}

struct nnaccel_completion fake_wait(struct fake *fake, uint32_t queue, uint64_t seqno)
{
	struct nnaccel_completion c = { 0 };

	pthread_mutex_lock(&fake->lock);
	while (fake->seqno[queue] < seqno)
		pthread_cond_wait(&fake->done, &fake->lock);
	for (size_t i = fake->num_completions; i--;)
		if (fake->completions[i].queue == queue && fake->completions[i].seqno == seqno) {
			c = fake->completions[i];
			break;
		}
	pthread_mutex_unlock(&fake->lock);
	return c;
}
