// SPDX-License-Identifier: GPL-2.0-only
/*
 * The state machine of power and link. Each rule here is a row of the table "States" in
 * Documentation/kernel.rst.
 */

#include <linux/bits.h>
#include <linux/ktime.h>
#include <linux/pm_runtime.h>

#include <drm/drm_print.h>

#include "nnaccel_device.h"
#include "nnaccel_pm.h"
#include "nnaccel_state.h"

struct nnaccel_state_rule {
	const char *name;
	/* enum drm_nnaccel_device_state. */
	u32 public;
	/* Registers are not used, and interrupts are off. */
	bool quiet;
	/* A reference keeps runtime PM from the device: only an ONLINE card is put to sleep. */
	bool held;
	/* The time since when jobs wait for a card runs. */
	bool away;
	/* States that may follow. */
	u32 next;
};

#define NEXT(state)	BIT(NNACCEL_STATE_##state)

static const struct nnaccel_state_rule nnaccel_state_rules[NNACCEL_NUM_STATES] = {
	[NNACCEL_STATE_ABSENT] = {
		"absent", DRM_NNACCEL_DEVICE_LINK_LOST, .held = true, .away = true,
		.next = NEXT(STARTING) | NEXT(ASLEEP) | NEXT(UNREACHABLE) | NEXT(BLOCKED) |
			NEXT(GONE),
	},
	[NNACCEL_STATE_STARTING] = {
		"starting", DRM_NNACCEL_DEVICE_RESETTING, .held = true, .away = true,
		.next = NEXT(ONLINE) | NEXT(ABSENT) | NEXT(FAILED) | NEXT(ASLEEP) |
			NEXT(UNREACHABLE) | NEXT(BLOCKED) | NEXT(GONE),
	},
	[NNACCEL_STATE_ONLINE] = {
		"online", DRM_NNACCEL_DEVICE_ONLINE,
		.next = NEXT(STARTING) | NEXT(ABSENT) | NEXT(FALLING) | NEXT(UNREACHABLE) |
			NEXT(BLOCKED) | NEXT(GONE),
	},
	[NNACCEL_STATE_FALLING] = {
		"falling asleep", DRM_NNACCEL_DEVICE_ONLINE, .away = true,
		.next = NEXT(ASLEEP) | NEXT(STARTING),
	},
	[NNACCEL_STATE_ASLEEP] = {
		"asleep", DRM_NNACCEL_DEVICE_ONLINE, .quiet = true,
		.next = NEXT(WAKING) | NEXT(BLOCKED) | NEXT(GONE),
	},
	[NNACCEL_STATE_WAKING] = {
		"waking", DRM_NNACCEL_DEVICE_RESETTING, .held = true, .away = true,
		.next = NEXT(ONLINE) | NEXT(ABSENT) | NEXT(FAILED) | NEXT(ASLEEP) |
			NEXT(UNREACHABLE) | NEXT(BLOCKED) | NEXT(GONE),
	},
	[NNACCEL_STATE_UNREACHABLE] = {
		"unreachable", DRM_NNACCEL_DEVICE_LINK_LOST, .held = true, .away = true,
		.next = NEXT(STARTING) | NEXT(ABSENT) | NEXT(ASLEEP) | NEXT(BLOCKED) | NEXT(GONE),
	},
	[NNACCEL_STATE_BLOCKED] = {
		"blocked", DRM_NNACCEL_DEVICE_LINK_LOST, .quiet = true, .held = true, .away = true,
		.next = NEXT(STARTING) | NEXT(DEAD) | NEXT(GONE),
	},
	[NNACCEL_STATE_DEAD] = {
		"dead", DRM_NNACCEL_DEVICE_FAILED, .quiet = true, .held = true, .away = true,
		.next = NEXT(STARTING) | NEXT(GONE),
	},
	[NNACCEL_STATE_FAILED] = {
		"failed", DRM_NNACCEL_DEVICE_FAILED, .held = true, .away = true,
		.next = NEXT(STARTING) | NEXT(ABSENT) | NEXT(ASLEEP) | NEXT(UNREACHABLE) |
			NEXT(BLOCKED) | NEXT(GONE),
	},
	[NNACCEL_STATE_GONE] = {
		"gone", DRM_NNACCEL_DEVICE_LINK_LOST, .away = true,
	},
};

/**
 * nnaccel_state_set_locked() - change the state; topo_lock is held
 * @ndev: device
 * @to: the new state; the present one changes nothing
 *
 * What a state implies follows here, so that no count can be taken twice: interrupts, the reference
 * that keeps runtime PM away, and the time since when jobs wait. Sleeps.
 */
void nnaccel_state_set_locked(struct nnaccel_device *ndev, enum nnaccel_state to)
{
	const struct nnaccel_state_rule *old = &nnaccel_state_rules[ndev->state];
	const struct nnaccel_state_rule *new = &nnaccel_state_rules[to];

	lockdep_assert_held(&ndev->topo_lock);
	if (old == new)
		return;
	drm_WARN(&ndev->drm, !(old->next & BIT(to)), "a device that is %s cannot become %s\n",
		 old->name, new->name);
	drm_dbg_driver(&ndev->drm, "%s, was %s\n", new->name, old->name);

	if (!old->held && new->held)
		pm_runtime_get_noresume(ndev->drm.dev);
	if (!new->away)
		WRITE_ONCE(ndev->away_ns, 0);
	else if (!old->away)
		WRITE_ONCE(ndev->away_ns, ktime_get_ns());
	if (new->quiet)
		ndev->boot_ns = 0;
	WRITE_ONCE(ndev->state, to);

	/* On removal handlers are removed, whether they are on or off. */
	if (to != NNACCEL_STATE_GONE && old->quiet != new->quiet)
		ndev->hw->irq_enable(ndev, !new->quiet);
	if (old->held && to == NNACCEL_STATE_ONLINE)
		nnaccel_pm_put(ndev);
	else if (old->held && !new->held)
		pm_runtime_put_noidle(ndev->drm.dev);
}

/**
 * nnaccel_state_name() - name of a state, for messages
 * @state: the state
 *
 * Return: a string that is never freed.
 */
const char *nnaccel_state_name(enum nnaccel_state state)
{
	return state < NNACCEL_NUM_STATES ? nnaccel_state_rules[state].name : "?";
}

/**
 * nnaccel_state_quiet() - whether registers must not be used; any context
 * @ndev: device
 *
 * Return: the answer, which without topo_lock may be old at once.
 */
bool nnaccel_state_quiet(struct nnaccel_device *ndev)
{
	enum nnaccel_state state = READ_ONCE(ndev->state);

	return state == NNACCEL_STATE_GONE || nnaccel_state_rules[state].quiet;
}

/**
 * nnaccel_state_reachable() - whether registers may be used and have values; any context
 * @ndev: device
 *
 * Return: the answer, which without topo_lock may be old at once.
 */
bool nnaccel_state_reachable(struct nnaccel_device *ndev)
{
	return READ_ONCE(ndev->state) != NNACCEL_STATE_UNREACHABLE && !nnaccel_state_quiet(ndev);
}

/**
 * nnaccel_state_hopeless() - whether jobs end at once instead of waiting for a card; any context
 * @ndev: device
 *
 * Return: the answer. Jobs that become READY later than the state see it.
 */
bool nnaccel_state_hopeless(struct nnaccel_device *ndev)
{
	enum nnaccel_state state = READ_ONCE(ndev->state);

	return state == NNACCEL_STATE_FAILED || state == NNACCEL_STATE_DEAD;
}

/**
 * nnaccel_state_public() - state of the device as clients see it; any context
 * @ndev: device
 *
 * A card that sleeps, or is just being woken, is at their service.
 *
 * Return: enum drm_nnaccel_device_state.
 */
u32 nnaccel_state_public(struct nnaccel_device *ndev)
{
	enum nnaccel_state state = READ_ONCE(ndev->state);
	u64 since = READ_ONCE(ndev->away_ns);

	/* 0: it is up by now. */
	if (state == NNACCEL_STATE_WAKING &&
	    (!since || ktime_get_ns() < since + nnaccel_boot_ms * (u64)NSEC_PER_MSEC))
		return DRM_NNACCEL_DEVICE_ONLINE;
	return nnaccel_state_rules[state].public;
}
