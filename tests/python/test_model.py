# SPDX-License-Identifier: Apache-2.0
import gc
import os
import struct
import subprocess
import sys
import threading

import numpy as np
import pytest
from conftest import case
from tflite_writer import B, Model as Writer

import nnaccel
from nnaccel import _native

DEVICE = 'nnaccel-cpu'


def writer(kind='FLOAT32', shape=(2, 3), **quantization):
    """x + x"""
    m = Writer()
    x = m.input('x', list(shape), kind, **quantization)
    y = m.tensor('y', list(shape), kind, **quantization)
    m.op('ADD', [x, x], [y], {0: B(0)})
    m.outputs = [y]
    return m.bytes()


def test_devices():
    found = {device.name: device for device in nnaccel.devices()}
    assert DEVICE in found
    assert found[DEVICE].feature_level >= 1000008
    assert found[DEVICE].type in ('cpu', 'accelerator')


def test_samples(samples):
    model = nnaccel.Model(samples.path, devices=DEVICE)
    for number in range(8):
        y = model(samples.load('in', number, model.inputs[0]))
        expected = samples.load('out', number, model.outputs[0])
        assert y.dtype == expected.dtype and y.shape == expected.shape
        if y.dtype == np.float32:
            np.testing.assert_allclose(y, expected, atol=1e-4)
        else:
            assert (y == expected).all()


def test_bytes_are_a_file(int8):
    with open(int8.path, 'rb') as file:
        model = nnaccel.Model(file.read(), devices=[DEVICE])
    assert model(int8.load('in', 0, model.inputs[0])).shape == model.outputs[0].shape


def test_tensor_is_that_of_the_file():
    model = nnaccel.Model(writer('INT8', scale=0.5, zero=3), devices=DEVICE)
    tensor = model.inputs[0]
    assert (tensor.name, tensor.shape, tensor.dtype, tensor.scale, tensor.zero_point) == ('x', (2, 3), np.int8, 0.5, 3)
    assert model.outputs[0].index != tensor.index


@pytest.mark.parametrize('real,stored', [(0, 3), (0.25, 4), (-0.25, 2), (0.24, 3), (1000, 127), (-1000, -128)])
def test_quantize(real, stored):
    tensor = nnaccel.Model(writer('INT8', scale=0.5, zero=3), devices=DEVICE).inputs[0]
    assert tensor.quantize(real) == stored
    assert tensor.quantize([real]).dtype == np.int8


def test_floats_are_quantized():
    model = nnaccel.Model(writer('INT8', scale=0.5, zero=3), devices=DEVICE)
    y = model(np.full((2, 3), 1.0))
    assert y.dtype == np.int8
    np.testing.assert_array_equal(model.outputs[0].dequantize(y), np.full((2, 3), 2.0, np.float32))


def test_no_number_is_not_quantized():
    model = nnaccel.Model(writer('INT8', scale=0.5, zero=3), devices=DEVICE)
    with pytest.raises(ValueError, match='x .*not a number'):
        model(np.full((2, 3), np.nan))


@pytest.mark.parametrize('array,error,text', [
    (np.zeros((3, 2), np.float32), ValueError, r'tensor x .*shape \(3, 2\)'),
    (np.zeros((2, 3), complex), TypeError, 'tensor x .*complex128'),
    ('text', TypeError, 'tensor x'),
])
def test_wrong_array_is_refused(array, error, text):
    with pytest.raises(error, match=text):
        nnaccel.Model(writer(), devices=DEVICE)(array)


def test_integers_beyond_the_type_are_refused():
    model = nnaccel.Model(writer('INT8', scale=0.5, zero=3), devices=DEVICE)
    with pytest.raises(ValueError, match='beyond int8'):
        model(np.full((2, 3), 128))
    assert (model(np.full((2, 3), 3)) == 3).all()


def test_inputs_by_name():
    model = nnaccel.Model(writer(), devices=DEVICE)
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    for y in model(x), model(x=x), model({'x': x}):
        np.testing.assert_array_equal(y, x + x)
    with pytest.raises(ValueError, match='the inputs are x; given are z'):
        model(z=x)
    with pytest.raises(ValueError, match='has 1 inputs, given are 2'):
        model(x, x)


def test_leading_one_may_be_missing():
    model = nnaccel.Model(writer(shape=(1, 4)), devices=DEVICE)
    assert model(np.ones(4, np.float32)).shape == (1, 4)


def test_results_are_new_arrays():
    model = nnaccel.Model(writer(), devices=DEVICE)
    first = model(np.ones((2, 3), np.float32))
    model(np.zeros((2, 3), np.float32))
    assert (first == 2).all()


def test_state_goes_on_and_begins_again():
    import states
    model = nnaccel.Model(case('states', 'lstm_goes_on'), devices=DEVICE)
    x = np.full((1, 1), states.X, np.float32)
    for _ in range(2):
        for steps in range(1, 4):
            np.testing.assert_allclose(model(x), states.lstm_states(steps)[0], rtol=1e-5)
        model.reset()


def test_int64():
    model = nnaccel.Model(case('graphs', 'inputs_and_outputs_of_64_bits'), devices=DEVICE)
    rows, ids = model(np.array([[2, 0]]))
    assert rows.tolist() == [[[4, 5], [0, 1]]]
    assert ids.dtype == np.int64 and ids.tolist() == [2, 0]
    with pytest.raises(ValueError, match='tensor ids .*more than 32 bits'):
        model(np.array([[0, 1 << 31]]))
    with model.buffers() as buffers:
        buffers.inputs[0][...] = 1
        model.run(buffers)
        assert (buffers.outputs[1] == 1).all()


def test_input_that_is_an_output():
    model = nnaccel.Model(case('graphs', 'input_of_64_bits_is_output'))
    assert model.inputs[0].index == model.outputs[0].index
    assert model([-2**31, 2**31 - 1]).tolist() == [-2**31, 2**31 - 1]


def test_buffers():
    model = nnaccel.Model(writer(), devices=DEVICE)
    buffers = model.buffers()
    buffers.inputs[0][...] = 3
    model.run(buffers)
    result = buffers.outputs[0]
    assert (result == 6).all()
    # it is memory that another process can map
    assert struct.unpack('f', os.pread(buffers.fd, 4, 0)) == (3,)
    assert np.from_dlpack(result)[0, 0] == 6
    buffers.close()
    with pytest.raises(ValueError, match='closed'):
        model.run(buffers)
    del buffers
    gc.collect()
    assert (result == 6).all()


def test_timings():
    model = nnaccel.Model(writer(), devices=DEVICE, measure=True)
    assert model.timings is None
    model(np.zeros((2, 3), np.float32))
    assert model.timings.total > 0
    assert model.timings.driver is not None
    with pytest.raises(ValueError, match='exactly one device'):
        nnaccel.Model(writer(), measure=True)


def test_threads(int8):
    model = nnaccel.Model(int8.path, devices=DEVICE)
    inputs = [int8.load('in', i, model.inputs[0]) for i in range(8)]
    expected = [int8.load('out', i, model.outputs[0]) for i in range(8)]
    wrong = []

    def work(number):
        for _ in range(20):
            if (model(inputs[number]) != expected[number]).any():
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_nothing_is_left(int8):
    def use():
        with nnaccel.Model(int8.path, devices=DEVICE) as model:
            model(int8.load('in', 0, model.inputs[0]))
            model.buffers()

    use()
    gc.collect()
    before = len(os.listdir('/proc/self/fd'))
    for _ in range(5):
        use()
    gc.collect()
    assert len(os.listdir('/proc/self/fd')) == before


def test_closed_model():
    model = nnaccel.Model(writer(), devices=DEVICE)
    model.close()
    with pytest.raises(ValueError, match='closed'):
        model(np.zeros((2, 3), np.float32))


def test_missing_file():
    with pytest.raises(nnaccel.ModelError, match='/nonexistent.tflite: cannot open it: No such file'):
        nnaccel.Model('/nonexistent.tflite')


@pytest.mark.parametrize('content', [b'', b'text', writer()[:200]], ids=['empty', 'text', 'cut'])
def test_invalid_file(content):
    with pytest.raises(nnaccel.ModelError, match='the model: .'):
        nnaccel.Model(content)


def test_refused_file_names_the_operator():
    m = Writer()
    x, y = m.input('x', [4], 'STRING'), m.tensor('y', [4], 'STRING')
    m.op('SIGN', [x], [y])
    m.outputs = [y]
    with pytest.raises(nnaccel.ModelError, match='SIGN'):
        nnaccel.Model(m.bytes())


def test_unknown_device():
    with pytest.raises(nnaccel.Error, match=f'no device npu9; its devices are .*{DEVICE}'):
        nnaccel.Model(writer(), devices='npu9')
    with pytest.raises(nnaccel.Error, match='empty'):
        nnaccel.Model(writer(), devices=[])


def test_device_object_and_lists():
    device = next(d for d in nnaccel.devices() if d.name == DEVICE)
    for devices in device, [device], DEVICE, f'{DEVICE},{DEVICE}'[:len(DEVICE)], None:
        nnaccel.Model(writer(), devices=devices)


def test_arguments():
    with pytest.raises(ValueError, match='preference .*low_power'):
        nnaccel.Model(writer(), preference='fast')
    with pytest.raises(ValueError, match='no folder'):
        nnaccel.Model(writer(), cache_dir='/nonexistent')
    with pytest.raises(ValueError, match='isolation .*worker'):
        nnaccel.Model(writer(), isolation='strict')
    with pytest.raises(ValueError, match='too late'):
        nnaccel.devices()
        nnaccel.Model(writer(), isolation='service')


def test_isolation_of_a_process(int8):
    # no service listens there, and "none" of the environment comes second: only the runtime's own device is left
    program = f'import nnaccel; nnaccel.Model({int8.path!r}, isolation="service"); print(*(d.name for d in nnaccel.devices()))'
    environment = dict(os.environ, NNAPI_ISOLATION='none', NNACCEL_SERVICE='/nonexistent/hald.sock')
    ran = subprocess.run([sys.executable, '-c', program], env=environment, capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ['nnapi-reference']


def test_cache(tmp_path):
    x = np.ones((2, 3), np.float32)
    for _ in range(2):
        model = nnaccel.Model(writer(), devices=DEVICE, cache_dir=str(tmp_path), preference='sustained_speed')
        assert (model(x) == 2).all()
        entries = sorted((e.name, e.stat().st_mtime_ns) for e in tmp_path.iterdir())
        assert entries
    # another model has another entry
    nnaccel.Model(writer(shape=(5,)), devices=DEVICE, cache_dir=str(tmp_path), preference='sustained_speed')
    assert len(list(tmp_path.iterdir())) > len(entries)


def test_explain(int8):
    explanation = nnaccel.Model(int8.path).explain()
    assert explanation.result == 'NO_ERROR'
    conv = next(op for op in explanation.operations if op.name == 'CONV_2D')
    assert conv.operator == 'CONV_2D' and conv.operator_number is not None
    assert conv.device and conv.decided_by
    assert all(other.why_not for op in explanation.operations for other in op.elsewhere)
    assert 'CONV_2D' in str(explanation)


def test_late_refusal_has_its_reason():
    content = case('graphs', 'shape_that_lies')
    with pytest.raises(nnaccel.Error, match='cannot compile the model: BAD_DATA: .*RELU'):
        nnaccel.Model(content, devices=DEVICE)
    model = nnaccel.Model(content)
    with pytest.raises(nnaccel.Error) as caught:
        model(*(np.zeros(tensor.shape, tensor.dtype) for tensor in model.inputs))
    assert 'operator' in str(caught.value)
    assert caught.value.code


def test_delegate_path():
    assert os.path.basename(nnaccel.delegate_path()) == 'libnnaccel_tflite.so'


def test_names_of_results():
    assert _native.result_name(4) == 'BAD_DATA'
    assert _native.result_name(99) == 'result 99'
