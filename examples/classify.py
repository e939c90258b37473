#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""classify.py MODEL LABELS PICTURE...: what a picture shows.

    python3 examples/classify.py models/shapes_int8/model.tflite models/shapes_int8/labels.txt models/pictures/star.png

Needs python3-nnaccel and python3-pil."""
import sys

import numpy as np
from PIL import Image

import nnaccel

if len(sys.argv) < 4:
    sys.exit(__doc__)
model = nnaccel.Model(sys.argv[1])
with open(sys.argv[2], encoding='utf-8') as file:
    labels = file.read().splitlines()
_, height, width, channels = model.inputs[0].shape
for path in sys.argv[3:]:
    picture = Image.open(path).convert('L' if channels == 1 else 'RGB').resize((width, height))
    pixels = np.asarray(picture, np.uint8).reshape(model.inputs[0].shape)
    tensor = model.inputs[0]
    # models take 0 to 255 as they are, shifted by 128, or as real numbers from 0 to 1
    if tensor.dtype == np.int8:
        pixels = pixels.astype(np.int16) - 128
    elif tensor.dtype == np.float32:
        pixels = pixels.astype(np.float32) / 255
    result = model(pixels)
    score = model.outputs[0].dequantize(result[0] if isinstance(result, tuple) else result).ravel()
    best = int(score.argmax())
    print(f'{path}: {labels[best]} ({score[best]:.2f})')
