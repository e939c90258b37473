// SPDX-License-Identifier: GPL-2.0-only
/* Anyone may report trouble, or ask whether the card is there; the recovery worker acts on it. */

#include "nnaccel_device.h"
#include "nnaccel_trouble.h"

/**
 * nnaccel_schedule_recovery() - wake the recovery worker; any context
 * @ndev: device
 * @trouble: the reason
 *
 * The work itself decides by the state, and removal disables it, so it may be queued at any time.
 */
void nnaccel_schedule_recovery(struct nnaccel_device *ndev, enum nnaccel_trouble trouble)
{
	/* Pairs with nnaccel_recover_work(): why it is set is there before it is. */
	smp_mb__before_atomic();
	set_bit(trouble, &ndev->trouble);
	mod_delayed_work(ndev->recover_wq, &ndev->recover_work, 0);
}

/**
 * nnaccel_protocol_error() - the device violated the device contract: ignore it until it was reset
 * @ndev: device
 * @what: what was invalid
 */
void nnaccel_protocol_error(struct nnaccel_device *ndev, const char *what)
{
	dev_warn_ratelimited(ndev->drm.dev, "protocol error of the card: %s\n", what);
	nnaccel_schedule_recovery(ndev, NNACCEL_TROUBLE_PROTOCOL);
}

/**
 * nnaccel_card_lost() - whether the card that state and generation describe is dead, or cannot be
 * reached; any context
 * @ndev: device
 *
 * Return: whether it takes no commands any more. It may still write memory.
 */
bool nnaccel_card_lost(struct nnaccel_device *ndev)
{
	return nnaccel_read32(ndev, link) != NNACCEL_LINK_PRESENT ||
	       nnaccel_read32(ndev, generation) != READ_ONCE(ndev->generation);
}

/*
 * The slot writes magic once: if it has another value, no register has its own. A bus that cannot
 * reach a device answers with ones, an emulated one with zeros. Return: whether that is so, and the
 * device may still access memory.
 */
static bool nnaccel_regs_unreachable(struct nnaccel_device *ndev)
{
	return nnaccel_read32(ndev, magic) != NNACCEL_MAGIC &&
	       !(ndev->hw->removed && ndev->hw->removed(ndev));
}

static bool nnaccel_link_lost(struct nnaccel_device *ndev)
{
	return nnaccel_read32(ndev, link) != NNACCEL_LINK_PRESENT;
}

/*
 * A card that is @lost is dead only if registers have values, before and after: a bus may start to
 * work between two reads.
 */
static enum nnaccel_sign nnaccel_sign(struct nnaccel_device *ndev,
				      bool (*lost)(struct nnaccel_device *ndev))
{
	if (nnaccel_regs_unreachable(ndev))
		return NNACCEL_SIGN_UNREACHABLE;
	if (!lost(ndev))
		return NNACCEL_SIGN_ALIVE;
	return nnaccel_regs_unreachable(ndev) ? NNACCEL_SIGN_UNREACHABLE : NNACCEL_SIGN_DEAD;
}

/**
 * nnaccel_link_sign() - what is known of the card in the slot, whatever its generation
 * @ndev: device
 *
 * Process context.
 *
 * Return: the sign.
 */
enum nnaccel_sign nnaccel_link_sign(struct nnaccel_device *ndev)
{
	return nnaccel_sign(ndev, nnaccel_link_lost);
}

/**
 * nnaccel_card_sign() - what is known of the card that state and generation describe
 * @ndev: device
 *
 * Process context.
 *
 * Return: the sign.
 */
enum nnaccel_sign nnaccel_card_sign(struct nnaccel_device *ndev)
{
	return nnaccel_sign(ndev, nnaccel_card_lost);
}
