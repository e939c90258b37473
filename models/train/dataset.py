# SPDX-License-Identifier: Apache-2.0
"""The data set "shapes": labelled 32x32 RGB pictures of ten plane figures, rendered from a seed.

Every picture has one figure of random size, position, rotation and colour on a background with a
colour gradient, up to three short strokes behind the figure as distractors, and noise. Only
Generator.random() of PCG64 is used: the other distributions of numpy may change between releases.
"""

import numpy as np

SIZE = 32
LABELS = ("circle", "ring", "square", "triangle", "cross", "star", "heart", "crescent", "arrow",
          "bar")
CHUNK = 250  # pictures rendered at once; part of what a seed means


def _regular(count, radius, turn=0.0):
    angle = 2 * np.pi * (np.arange(count) / count) - np.pi / 2 + turn
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1)


def _star():
    outer = _regular(5, 1.1)
    inner = _regular(5, 0.44, np.pi / 5)
    return np.stack([outer, inner], 1).reshape(-1, 2)


# Figures that are polygons, in units of the figure's radius.
POLYGONS = {
    "square": np.array([[-.78, -.78], [.78, -.78], [.78, .78], [-.78, .78]]),
    "triangle": _regular(3, 1.1),
    "cross": np.array([[-.3, -1], [.3, -1], [.3, -.3], [1, -.3], [1, .3], [.3, .3], [.3, 1],
                       [-.3, 1], [-.3, .3], [-1, .3], [-1, -.3], [-.3, -.3]]),
    "star": _star(),
    "arrow": np.array([[0, -1.1], [.85, -.05], [.3, -.05], [.3, 1.0], [-.3, 1.0], [-.3, -.05],
                       [-.85, -.05]]),
    "bar": np.array([[-1.1, -.3], [1.1, -.3], [1.1, .3], [-1.1, .3]]),
}


def _polygon_distance(x, y, corners):
    """Signed distance to a simple polygon, negative inside (even-odd rule)."""
    nearest = np.full(x.shape, np.inf)
    inside = np.zeros(x.shape, bool)
    for (ax, ay), (bx, by) in zip(corners, np.roll(corners, -1, 0)):
        ex, ey = bx - ax, by - ay
        along = np.clip(((x - ax) * ex + (y - ay) * ey) / (ex * ex + ey * ey), 0, 1)
        dx, dy = x - ax - along * ex, y - ay - along * ey
        nearest = np.minimum(nearest, dx * dx + dy * dy)
        if ay != by:
            crosses = (y < ay) != (y < by)
            inside ^= crosses & (x < ax + (y - ay) * ex / ey)
    return np.where(inside, -1, 1) * np.sqrt(nearest)


def _heart_distance(x, y):
    """Two discs on a square that stands on its corner; y grows downwards."""
    side = 0.62
    lobe = side / np.sqrt(2)
    u, v = (x + (y - .1)) / np.sqrt(2), (x - (y - .1)) / np.sqrt(2)
    box = np.maximum(abs(u), abs(v)) - side
    left = np.hypot(x + lobe, y - .1 + lobe) - side
    right = np.hypot(x - lobe, y - .1 + lobe) - side
    return np.minimum(box, np.minimum(left, right))


def _figure_distance(label, x, y):
    name = LABELS[label]
    if name in POLYGONS:
        return _polygon_distance(x, y, POLYGONS[name])
    if name == "circle":
        return np.hypot(x, y) - 0.95
    if name == "ring":
        return abs(np.hypot(x, y) - 0.76) - 0.24
    if name == "crescent":
        return np.maximum(np.hypot(x, y) - 1.0, 0.82 - np.hypot(x - 0.48, y))
    return _heart_distance(x, y)


def _blend(picture, colour, cover):
    return picture + cover[..., None] * (colour[:, None, None, :] - picture)


def _strokes(rng, picture, column, row):
    count = len(picture)
    for stroke in range(3):
        present = rng.random(count) < 0.5
        centre = rng.random((count, 2)) * SIZE
        angle = rng.random(count) * 2 * np.pi
        half = (1 + 4 * rng.random(count))[:, None, None]
        dx, dy = (np.cos(angle)[:, None, None], np.sin(angle)[:, None, None])
        x, y = column - centre[:, 0, None, None], row - centre[:, 1, None, None]
        along = np.clip(x * dx + y * dy, -half, half)
        distance = np.hypot(x - along * dx, y - along * dy) - 0.7
        cover = np.clip(0.5 - distance, 0, 1) * present[:, None, None]
        picture = _blend(picture, rng.random((count, 3)), cover)
    return picture


def _chunk(seed, number):
    rng = np.random.Generator(np.random.PCG64([seed, number]))
    labels = np.minimum((rng.random(CHUNK) * len(LABELS)).astype(np.int64), len(LABELS) - 1)
    row, column = np.mgrid[0:SIZE, 0:SIZE] + 0.5
    row, column = row[None], column[None]

    base = rng.random((CHUNK, 3))
    slope = (rng.random((CHUNK, 2, 3)) - 0.5) * 0.5
    u, v = (column / SIZE - 0.5)[..., None], (row / SIZE - 0.5)[..., None]
    picture = base[:, None, None] + u * slope[:, None, None, 0] + v * slope[:, None, None, 1]
    picture = np.clip(picture, 0, 1)
    picture = _strokes(rng, picture, column, row)

    radius = 7 + 6 * rng.random(CHUNK)
    room = np.maximum(SIZE / 2 - radius, 0)[:, None]
    centre = SIZE / 2 + (2 * rng.random((CHUNK, 2)) - 1) * room
    angle = rng.random(CHUNK) * 2 * np.pi
    cos, sin = np.cos(angle)[:, None, None], np.sin(angle)[:, None, None]
    scale = radius[:, None, None]
    x, y = column - centre[:, 0, None, None], row - centre[:, 1, None, None]
    x, y = (x * cos + y * sin) / scale, (y * cos - x * sin) / scale
    cover = np.empty((CHUNK, SIZE, SIZE))
    for label in range(len(LABELS)):
        chosen = labels == label
        distance = _figure_distance(label, x[chosen], y[chosen])
        cover[chosen] = np.clip(0.5 - distance * scale[chosen], 0, 1)
    colour = rng.random((CHUNK, 3))
    # A figure that nearly has the background's colour would have no right answer.
    close = np.sqrt(((colour - base) ** 2).sum(1)) < 0.35
    colour[close] = (base[close] + 0.5) % 1.0
    picture = _blend(picture, colour, cover)

    strength = 0.12 * rng.random(CHUNK)[:, None, None, None]
    noise = rng.random(picture.shape) + rng.random(picture.shape) - 1
    picture = np.clip(picture + strength * noise, 0, 1)
    return np.rint(picture * 255).astype(np.uint8), labels


def render(seed, count):
    """Returns uint8 pictures [count, 32, 32, 3] and int64 labels [count]."""
    chunks = [_chunk(seed, number) for number in range(-(-count // CHUNK))]
    pictures = np.concatenate([pictures for pictures, _ in chunks])[:count]
    return pictures, np.concatenate([labels for _, labels in chunks])[:count]
