# SPDX-License-Identifier: Apache-2.0
import asyncio
import gc

import numpy as np
import pytest
from conftest import case

import nnaccel

DEVICE = 'nnaccel-cpu'


def test_results_in_any_order(int8):
    model = nnaccel.Model(int8.path, devices=DEVICE)
    results = [model.submit(int8.load('in', i, model.inputs[0])) for i in range(8)]
    for i in reversed(range(8)):
        assert (results[i].result(timeout=60) == int8.load('out', i, model.outputs[0])).all()
        assert results[i].done()
        assert results[i].result() is results[i].result()


def test_await(int8):
    async def run():
        model = nnaccel.Model(int8.path, devices=DEVICE)
        results = [model.submit(int8.load('in', i, model.inputs[0])) for i in range(8)]

        async def get(i):
            return await results[i]

        found = await asyncio.gather(*map(get, range(8)), get(0))
        for i in range(9):
            assert (found[i] == int8.load('out', i % 8, model.outputs[0])).all()

    asyncio.run(run())


def test_failure_is_raised():
    model = nnaccel.Model(case('graphs', 'shape_that_lies'))
    with pytest.raises(nnaccel.Error):
        result = model.submit(*(np.zeros(tensor.shape, tensor.dtype) for tensor in model.inputs))
        assert isinstance(result.exception(60), nnaccel.Error)
        result.result()


def test_forgotten_results_give_their_memory_back(int8):
    model = nnaccel.Model(int8.path, devices=DEVICE)
    x = int8.load('in', 0, model.inputs[0])
    for _ in range(20):
        model.submit(x)
        gc.collect()
    assert len(model._idle) == 1


def test_state_is_one_call_after_the_other():
    import states
    model = nnaccel.Model(case('states', 'lstm_goes_on'), devices=DEVICE)
    x = np.full((1, 1), states.X, np.float32)
    first = model.submit(x)
    with pytest.raises(nnaccel.Error, match='one call after the other'):
        model.submit(x)
    np.testing.assert_allclose(first.result(60), states.lstm_states(1)[0], rtol=1e-5)
    np.testing.assert_allclose(model.submit(x).result(60), states.lstm_states(2)[0], rtol=1e-5)
    np.testing.assert_allclose(model(x), states.lstm_states(3)[0], rtol=1e-5)
