# SPDX-License-Identifier: Apache-2.0
"""Generated motion: samples of an accelerometer while a device lies still, is carried by a walking
person, is shaken, or falls.

A window is the memory of a direct channel of 128 records: a ring. Its oldest record can be at any
place, so a window is turned by a random number of records. to_records() gives the bytes, 104 per
record, as 26 float32: columns 6 to 8 are x, y and z, the model does not compute with the
others, which are integers.
"""

import numpy as np

LABELS = ("still", "walk", "shake", "fall")
WINDOW, AXES = 128, 3
RECORD_FLOATS, FIRST_AXIS = 26, 6
GRAVITY = 9.80665
CHUNK = 500             # windows that are drawn together; a part of what a seed means
RATES = (28.0, 110.0)   # Hz; rate level NORMAL


def _between(rng, low, high, shape=()):
    return low + (high - low) * rng.random(shape)


def _normal(rng, shape):
    # A sum of 12 uniform numbers; rng.random() alone does not change between numpy's releases.
    return rng.random((12,) + tuple(shape)).sum(0) - 6


def _direction(rng):
    while True:
        vector = 2 * rng.random(3) - 1
        length = np.sqrt((vector ** 2).sum())
        if 0.1 < length < 1:
            return vector / length


def _frame(rng):
    """Three orthogonal directions: forward, sideways, up as the device sees them."""
    up = _direction(rng)
    forward = np.cross(up, _direction(rng))
    while (forward ** 2).sum() < 0.01:
        forward = np.cross(up, _direction(rng))
    forward /= np.sqrt((forward ** 2).sum())
    return forward, np.cross(up, forward), up


def _active(rng, t, least):
    """1 while the motion goes on, with soft ends; for at least this share of the window."""
    length = t[-1] - t[0]
    share = _between(rng, least, 1.3)
    if share >= 1:
        return np.ones(len(t))
    begin = t[0] + _between(rng, 0, 1 - share) * length
    soft = 0.05
    return (1 / (1 + np.exp(-np.clip((t - begin) / soft, -40, 40)))
            / (1 + np.exp(np.clip((t - begin - share * length) / soft, -40, 40))))


def _still(rng, t):
    _, sideways, up = _frame(rng)
    turn = _between(rng, -0.06, 0.06) * (t - t[0]) / (t[-1] - t[0])
    result = GRAVITY * (np.outer(np.cos(turn), up) + np.outer(np.sin(turn), sideways))
    hum = _between(rng, 0, 0.12) * np.sin(2 * np.pi * (_between(rng, 8, 25) * t + rng.random()))
    return result + np.outer(hum, _direction(rng))


def _walk(rng, t):
    forward, sideways, up = _frame(rng)
    steps = _between(rng, 1.4, 2.6)
    phase = steps * t + rng.random()
    strength = _between(rng, 1.0, 3.5)
    bounce = strength * np.sin(2 * np.pi * phase)
    bounce += strength * _between(rng, 0, 0.5) * np.sin(4 * np.pi * phase + 6.3 * rng.random())
    since = phase % 1 / steps               # s after the heel touched the ground
    bounce += strength * _between(rng, 0, 1.5) * np.exp(-since / 0.03) * np.cos(60 * since)
    ahead = strength * _between(rng, 0, 0.6) * np.sin(2 * np.pi * phase + 6.3 * rng.random())
    sway = strength * _between(rng, 0, 0.5) * np.sin(np.pi * phase + 6.3 * rng.random())
    active = _active(rng, t, 0.7)[:, None]
    return GRAVITY * up + active * (np.outer(bounce, up) + np.outer(ahead, forward)
                                    + np.outer(sway, sideways))


def _shake(rng, t):
    first, second, _ = _frame(rng)
    often, strength = _between(rng, 3.0, 8.0), _between(rng, 6.0, 28.0)
    # A hand does not keep time exactly.
    phase = often * (t + 0.02 * np.sin(2 * np.pi * (0.8 * t + rng.random()))) + rng.random()
    along = strength * np.sin(2 * np.pi * phase)
    across = strength * _between(rng, 0, 0.5) * np.sin(2 * np.pi * phase + 6.3 * rng.random())
    active = _active(rng, t, 0.7)[:, None]
    return GRAVITY * _direction(rng) + active * (np.outer(along, first)
                                                 + np.outer(across, second))


def _fall(rng, t):
    before, after, spin = _direction(rng), _direction(rng), _direction(rng)
    length = t[-1] - t[0]
    drop = min(_between(rng, 0.25, 0.6), 0.5 * length)
    begin = t[0] + _between(rng, 0, 0.85) * (length - drop)
    hit = begin + drop
    falling = (t >= begin) & (t < hit)
    since = np.maximum(t - hit, 0)
    impact = (_between(rng, 20, 75) * np.exp(-since / _between(rng, 0.02, 0.06))
              * np.cos(_between(rng, 15, 90) * since))
    result = np.where((t < begin)[:, None], GRAVITY * before, GRAVITY * after)
    result[falling] = (_between(rng, 0, 1.2) * spin
                       + _between(rng, 0, 0.5) * _normal(rng, (falling.sum(), 3)))
    landed = (t >= hit)[:, None]
    return result + landed * np.outer(impact, _direction(rng))


MOTIONS = (_still, _walk, _shake, _fall)


def _measure(rng, true):
    """What the sensor makes of it: bias, noise, steps, and the end of its range."""
    measured = true + _between(rng, -0.15, 0.15, 3)
    measured += _between(rng, 0.003, 0.1) * _normal(rng, true.shape)
    step = _between(rng, 0.002, 0.04)
    limit = GRAVITY * (2, 4, 8)[int(3 * rng.random())]
    return np.clip(np.rint(measured / step) * step, -limit, limit)


def render(seed, count):
    """(windows [count, 128, 3] float32, labels, the place of each window's oldest record)."""
    windows = np.empty((count, WINDOW, AXES), np.float32)
    labels, oldest = np.empty(count, int), np.empty(count, int)
    for start in range(0, count, CHUNK):
        rng = np.random.Generator(np.random.PCG64([seed, start // CHUNK]))
        for index in range(start, min(start + CHUNK, count)):
            labels[index] = int(len(LABELS) * rng.random())
            rate = RATES[0] * (RATES[1] / RATES[0]) ** rng.random()
            t = (np.arange(WINDOW) + 0.02 * _normal(rng, (WINDOW,))) / rate
            oldest[index] = int(WINDOW * rng.random())
            window = _measure(rng, MOTIONS[labels[index]](rng, t))
            windows[index] = np.roll(window, oldest[index], 0)
    return windows, labels, oldest


def to_records(windows, oldest, first_counter=1, first_stamp=10 ** 12, period=20 * 10 ** 6):
    """The records as float32 [count, 128, 26], the bits of the integers as they are in memory."""
    records = np.zeros((len(windows), WINDOW, RECORD_FLOATS), np.uint32)
    age = (np.arange(WINDOW)[None] - np.asarray(oldest)[:, None]) % WINDOW
    stamps = (first_stamp + period * age).astype(np.uint64)
    records[..., 0] = 104
    records[..., 1] = 1                     # token
    records[..., 2] = 1                     # accelerometer
    records[..., 3] = first_counter + age
    records[..., 4] = stamps & np.uint64(0xffffffff)
    records[..., 5] = stamps >> np.uint64(32)
    records[..., FIRST_AXIS:FIRST_AXIS + AXES] = np.ascontiguousarray(
        windows, np.float32).view(np.uint32)
    records[..., 9] = 3                     # status: high
    return records.view(np.float32)
