# SPDX-License-Identifier: Apache-2.0
"""Trains the classifier: Adam, cosine learning rate, cross entropy with smoothed labels."""

import time

import numpy as np

import dataset
import network

TRAIN_SEED, WEIGHTS_SEED, ORDER_SEED = 1, 2, 3
PICTURES, EPOCHS, BATCH = 50000, 6, 64
PEAK_RATE, WARM_UP = 4e-3, 200
DECAY = 1e-4
# Smoothing keeps the logits small, so that the scores are not all 0 and 1 and say something when
# outputs are compared.
SMOOTHING = 0.1


def loss_gradient(logits, labels):
    """(cross entropy with smoothed labels, its gradient by the logits)."""
    classes = logits.shape[1]
    shifted = logits - logits.max(1, keepdims=True)
    scores = np.exp(shifted)
    scores /= scores.sum(1, keepdims=True)
    target = np.full(logits.shape, SMOOTHING / classes, np.float32)
    target[np.arange(len(labels)), labels] += 1 - SMOOTHING
    loss = -(target * np.log(scores + 1e-12)).sum(1).mean()
    return loss, (scores - target) / np.float32(len(labels))


class Adam:
    def __init__(self, parameters):
        self.first = {name: np.zeros_like(value) for name, value in parameters.items()}
        self.second = {name: np.zeros_like(value) for name, value in parameters.items()}
        self.count = 0

    def step(self, parameters, gradients, rate):
        self.count += 1
        scale = rate * np.sqrt(1 - 0.999 ** self.count) / (1 - 0.9 ** self.count)
        for name, gradient in gradients.items():
            self.first[name] += np.float32(0.1) * (gradient - self.first[name])
            self.second[name] += np.float32(0.001) * (gradient ** 2 - self.second[name])
            step = np.float32(scale) * self.first[name] / (np.sqrt(self.second[name])
                                                           + np.float32(1e-7))
            if name.endswith("/weights"):
                step += np.float32(rate * DECAY) * parameters[name]
            parameters[name] -= step


def train(log):
    """Returns the trained parameters, normalisation folded; log(text) is called now and then."""
    began = time.monotonic()
    pictures, labels = dataset.render(TRAIN_SEED, PICTURES)
    log(f"rendered {PICTURES} pictures in {time.monotonic() - began:.0f} s")
    parameters = network.initial_parameters(np.random.Generator(np.random.PCG64(WEIGHTS_SEED)))
    statistics = network.initial_statistics()
    adam = Adam(parameters)
    order_rng = np.random.Generator(np.random.PCG64(ORDER_SEED))
    steps = EPOCHS * (PICTURES // BATCH)
    step = 0
    for epoch in range(EPOCHS):
        order = np.argsort(order_rng.random(PICTURES), kind="stable")
        losses, right = [], 0
        for start in range(0, PICTURES - BATCH + 1, BATCH):
            chosen = order[start:start + BATCH]
            x = pictures[chosen].astype(np.float32) / np.float32(255)
            logits, memory = network.forward(parameters, statistics, x)
            loss, gradient = loss_gradient(logits, labels[chosen])
            losses.append(loss)
            right += (logits.argmax(1) == labels[chosen]).sum()
            warm = min(1.0, (step + 1) / WARM_UP)
            rate = PEAK_RATE * warm * (0.5 + 0.5 * np.cos(np.pi * step / steps))
            adam.step(parameters, network.backward(parameters, gradient, memory), rate)
            step += 1
            if step % 200 == 0:
                log(f"epoch {epoch + 1} of {EPOCHS}, step {step} of {steps}: "
                    f"loss {np.mean(losses[-200:]):.4f}, {time.monotonic() - began:.0f} s")
        log(f"epoch {epoch + 1}: accuracy while training {right / len(losses) / BATCH:.4f}")
    return network.fold(parameters, statistics)
