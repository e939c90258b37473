# SPDX-License-Identifier: Apache-2.0
"""nnaccel.interpreter as programs for tflite_runtime use it."""
import numpy as np
import pytest
from conftest import case

import nnaccel
from nnaccel.interpreter import Interpreter, load_delegate

DEVICE = 'nnaccel-cpu'


def test_as_the_tutorials_do(samples):
    interpreter = Interpreter(model_path=samples.path, num_threads=2)
    interpreter.allocate_tensors()
    given, wanted = interpreter.get_input_details()[0], interpreter.get_output_details()[0]
    model = nnaccel.Model(samples.path)
    for number in range(8):
        interpreter.set_tensor(given['index'], samples.load('in', number, model.inputs[0]))
        interpreter.invoke()
        y, expected = interpreter.get_tensor(wanted['index']), samples.load('out', number, model.outputs[0])
        if y.dtype == np.float32:
            np.testing.assert_allclose(y, expected, atol=1e-4)
        else:
            assert (y == expected).all()


def test_details(int8):
    interpreter = Interpreter(int8.path)
    details = interpreter.get_input_details()[0]
    assert details['dtype'] is np.int8
    assert details['shape'].dtype == np.int32 and details['shape'][0] == 1
    scale, zero = details['quantization']
    assert scale > 0
    assert details['quantization_parameters']['scales'].tolist() == [np.float32(scale)]
    assert details['quantization_parameters']['zero_points'].tolist() == [zero]
    indices = [d['index'] for d in interpreter.get_tensor_details()]
    assert details['index'] in indices and indices == sorted(set(indices))


def test_content_and_path():
    with pytest.raises(ValueError):
        Interpreter()
    with pytest.raises(ValueError):
        Interpreter(model_path='a', model_content=b'b')
    with pytest.raises(ValueError):
        Interpreter(model_path='/nonexistent.tflite')
    with pytest.raises(ValueError, match='num_threads'):
        Interpreter(model_content=case('states', 'lstm_goes_on'), num_threads=0)


def test_before_allocation(int8):
    interpreter = Interpreter(int8.path)
    index = interpreter.get_input_details()[0]['index']
    with pytest.raises(ValueError, match='allocate_tensors'):
        interpreter.get_tensor(index)
    with pytest.raises(RuntimeError, match='allocate_tensors'):
        interpreter.invoke()


def test_wrong_arrays(int8):
    interpreter = Interpreter(int8.path)
    interpreter.allocate_tensors()
    details = interpreter.get_input_details()[0]
    index, shape = details['index'], tuple(details['shape'])
    with pytest.raises(ValueError, match='Cannot set tensor: Got value of type FLOAT32 but expected type INT8'):
        interpreter.set_tensor(index, np.zeros(shape, np.float32))
    with pytest.raises(ValueError, match='Cannot set tensor: Dimension mismatch. Got 1 but expected 4'):
        interpreter.set_tensor(index, np.zeros(3, np.int8))
    with pytest.raises(ValueError, match='Cannot set tensor: Dimension mismatch. Got 2 but expected 1 for dimension 0'):
        interpreter.set_tensor(index, np.zeros((2,) + shape[1:], np.int8))
    with pytest.raises(ValueError, match='no input'):
        interpreter.set_tensor(99999, np.zeros(shape, np.int8))


def test_get_tensor_copies_and_tensor_does_not(int8):
    interpreter = Interpreter(int8.path)
    interpreter.allocate_tensors()
    index = interpreter.get_input_details()[0]['index']
    view = interpreter.tensor(index)
    view()[...] = 5
    copy = interpreter.get_tensor(index)
    assert (copy == 5).all()
    copy[...] = 7
    assert (interpreter.get_tensor(index) == 5).all()


def test_resize(int8):
    interpreter = Interpreter(int8.path)
    details = interpreter.get_input_details()[0]
    interpreter.resize_tensor_input(details['index'], details['shape'])
    with pytest.raises(ValueError, match='keeps its shape'):
        interpreter.resize_tensor_input(details['index'], [7, *details['shape'][1:]])


def test_variables():
    import states
    interpreter = Interpreter(model_content=case('states', 'lstm_goes_on'))
    interpreter.allocate_tensors()
    given, wanted = interpreter.get_input_details()[0]['index'], interpreter.get_output_details()[0]['index']
    for _ in range(2):
        for steps in range(1, 4):
            interpreter.set_tensor(given, np.full((1, 1), states.X, np.float32))
            interpreter.invoke()
            np.testing.assert_allclose(interpreter.get_tensor(wanted), states.lstm_states(steps)[0], rtol=1e-5)
        interpreter.reset_all_variables()


def test_our_delegate_gives_its_options(int8):
    delegate = load_delegate(nnaccel.delegate_path(), {'devices': 'npu9'})
    with pytest.raises(RuntimeError, match='no device npu9'):
        Interpreter(int8.path, experimental_delegates=[delegate])
    options = {'devices': DEVICE, 'fp16': '1', 'log': 'summary'}
    Interpreter(int8.path, experimental_delegates=[load_delegate(nnaccel.delegate_path(), options)])


def test_other_delegates_are_not_used(int8):
    with pytest.warns(UserWarning, match='libedgetpu.so.1 is not used'):
        Interpreter(int8.path, experimental_delegates=[load_delegate('libedgetpu.so.1')])


def test_signatures(int8):
    interpreter = Interpreter(int8.path)
    assert interpreter.get_signature_list() == {}
    with pytest.raises(ValueError, match='set_tensor'):
        interpreter.get_signature_runner()


def test_operations(int8):
    names = [op['op_name'] for op in Interpreter(int8.path)._get_ops_details()]
    assert 'CONV_2D' in names


def test_failed_invoke():
    interpreter = Interpreter(model_content=case('graphs', 'shape_that_lies'))
    interpreter.allocate_tensors()
    with pytest.raises(RuntimeError, match='the execution failed'):
        interpreter.invoke()
