# SPDX-License-Identifier: Apache-2.0
"""Scales and zero points: kept where NNAPI wants those of the input, or has none of this kind."""
from run_cases import Case
from tflite_writer import B, F, I, Model


def quantized(values, scale, zero, kind='INT8'):
    low, high = (-128, 127) if kind == 'INT8' else (0, 255)
    return [min(max(round(v / scale) + zero, low), high) for v in values]


def unary(name, x, scale, zero, y, out_scale, out_zero, options=None, kind='INT8', shapes=None, tolerance=1, extra=None):
    """@x, @y: real values. The result goes into an ADD of 0, so that an inner tensor is tested, and is an output."""
    m = Model()
    shapes = shapes or ([1, len(x)], [1, len(y)])
    a = m.input('a', shapes[0], kind, scale=scale, zero=zero)
    t = m.tensor('t', shapes[1], kind, scale=out_scale, zero=out_zero)
    u = m.tensor('u', shapes[1], kind, scale=out_scale, zero=out_zero)
    z = m.const('z', [1], [0], kind, scale=1.0)
    m.op(name, [a] + (extra(m) if extra else []), [t], options)
    m.op('ADD', [t, z], [u], {})
    m.outputs = [t, u]
    stored = quantized(y, out_scale, out_zero, kind)
    return Case(m, [(kind, quantized(x, scale, zero, kind))], [(kind, stored), (kind, stored)], tolerance)


def case_relu_clamps():
    """A tensor of scale 6/255 holds at most 6."""
    return unary('RELU', [-1, 3, 8, 12], 0.1, 0, [0, 3, 6, 6], 6 / 255, -128)


def case_relu6_of_uint8():
    return unary('RELU6', [-1, 3, 8, 12], 0.1, 128, [0, 3, 6, 6], 0.05, 0, kind='UINT8')


def case_reshape_requantizes():
    return unary('RESHAPE', [-1, 3, 8, 12], 0.1, 0, [-1, 3, 8, 12], 0.2, 5, extra=lambda m: [m.ints([4])])


def case_max_pool_requantizes():
    return unary('MAX_POOL_2D', [-1, 3, 8, 12], 0.1, 0, [12], 0.05, -120, {0: B(1), 1: I(2), 2: I(2), 3: I(2), 4: I(2)},
                 shapes=([1, 2, 2, 1], [1, 1, 1, 1]))


def case_pad_requantizes():
    return unary('PAD', [1, 2], 0.1, 10, [0, 1, 2, 0], 0.05, -3, shapes=([2], [4]), extra=lambda m: [m.ints([1, 1], [1, 2])])


def case_transpose_requantizes():
    return unary('TRANSPOSE', [1, 2, 3, 4], 0.1, 0, [1, 3, 2, 4], 0.04, 3, shapes=([2, 2], [2, 2]), extra=lambda m: [m.ints([1, 0])])


def case_mean_is_computed_before_it_is_rounded():
    return unary('MEAN', [0.1, 0.2, 0.3, 0.3], 0.1, 0, [0.225], 0.005, 0, {0: B(1)}, shapes=([1, 4], [1, 1]), tolerance=0,
                 extra=lambda m: [m.ints([1])])


def case_average_pool_is_computed_before_it_is_rounded():
    return unary('AVERAGE_POOL_2D', [0.1, 0.2, 0.3, 0.3], 0.1, 0, [0.225], 0.005, 0, {0: B(1), 1: I(2), 2: I(2), 3: I(2), 4: I(2)},
                 shapes=([1, 2, 2, 1], [1, 1, 1, 1]), tolerance=0)


def case_logistic_of_any_scale():
    return unary('LOGISTIC', [0, 2], 0.1, 0, [0.5, 0.880797], 0.01, 0)


def case_tanh_of_any_scale():
    return unary('TANH', [0, 1], 0.1, 0, [0, 0.761594], 0.01, 5)


def case_gather_requantizes():
    return unary('GATHER', [1, 2, 3], 0.1, 0, [3, 1], 0.05, 3, {0: I(0)}, shapes=([3], [2]), extra=lambda m: [m.ints([2, 0])])


def case_concatenation_of_scales():
    m = Model()
    a, b = m.input('a', [2], 'INT8', scale=0.1), m.input('b', [2], 'INT8', scale=0.5, zero=-10)
    y = m.tensor('y', [4], 'INT8', scale=0.2, zero=4)
    m.op('CONCATENATION', [a, b], [y], {0: I(0)})
    m.outputs = [y]
    return Case(m, [('INT8', [10, -20]), ('INT8', [-8, -10])], [('INT8', [9, -6, 9, 4])], 1)


def case_pack_of_scales():
    m = Model()
    a, b = m.input('a', [2], 'INT8', scale=0.1), m.input('b', [2], 'INT8', scale=0.5, zero=-10)
    y = m.tensor('y', [2, 2], 'INT8', scale=0.2, zero=4)
    m.op('PACK', [a, b], [y], {0: I(2), 1: I(0)})
    m.outputs = [y]
    return Case(m, [('INT8', [10, -20]), ('INT8', [-8, -10])], [('INT8', [9, -6, 9, 4])], 1)


def case_exp_of_int8():
    """NNAPI has no quantized form: it is computed in real numbers."""
    return unary('EXP', [0, 1, -1], 0.1, 0, [1, 2.71828, 0.36788], 0.05, -20)


def case_sum_of_int8():
    return unary('SUM', [1, 2, 3], 0.1, 0, [6], 0.1, 0, {0: B(0)}, shapes=([1, 3], [1]), extra=lambda m: [m.ints([1])])


def case_div_of_uint8():
    m = Model()
    a, b = m.input('a', [2], 'UINT8', scale=0.1), m.input('b', [2], 'UINT8', scale=0.1)
    y = m.tensor('y', [2], 'UINT8', scale=0.05)
    m.op('DIV', [a, b], [y], {})
    m.outputs = [y]
    return Case(m, [('UINT8', [100, 30]), ('UINT8', [20, 20])], [('UINT8', [100, 30])], 1)


def case_mul_of_a_small_output_scale():
    """NNAPI wants the output scale above the product of the inputs'."""
    m = Model()
    a, b = m.input('a', [2], 'INT8', scale=0.1), m.input('b', [2], 'INT8', scale=0.1)
    y = m.tensor('y', [2], 'INT8', scale=0.005)
    m.op('MUL', [a, b], [y], {})
    m.outputs = [y]
    return Case(m, [('INT8', [3, 4]), ('INT8', [5, -2])], [('INT8', [30, -16])], 1)


def case_leaky_relu_of_int8():
    return unary('LEAKY_RELU', [3, -2], 0.1, 0, [3, -0.5], 0.05, 10, {0: F(0.25)})


def case_scale_that_differs_in_the_last_digit():
    m = Model()
    x = m.input('x', [1, 2, 2, 1], 'UINT8', scale=0.1, zero=128)
    y = m.tensor('y', [1, 1, 1, 1], 'UINT8', scale=0.10000001, zero=128)
    m.op('MAX_POOL_2D', [x], [y], {0: B(1), 1: I(2), 2: I(2), 3: I(2), 4: I(2)})
    m.outputs = [y]
    return Case(m, [('UINT8', [1, 4, 2, 3])], [('UINT8', [4])])


def mean_then_layer(name, w_shape, options):
    """The weights' bias has the scale of the tensor of the file, not of the mean's input."""
    m = Model()
    x = m.input('x', [1, 2, 2, 2], 'INT8', scale=0.1)
    shape = [1, 1, 1, 2] if name == 'CONV_2D' else [1, 2]
    t = m.tensor('t', shape, 'INT8', scale=0.02, zero=3)
    w = m.const('w', w_shape, [10, 0, 0, 20], 'INT8', scale=[0.1, 0.1], zero=[0, 0], axis=0)
    b = m.const('b', [2], [50, -50], 'INT32', scale=[0.002, 0.002], axis=0)
    y = m.tensor('y', shape, 'INT8', scale=0.1)
    m.op('MEAN', [x, m.ints([1, 2])], [t], {0: B(name == 'CONV_2D')})
    m.op(name, [t, w, b], [y], options)
    m.outputs = [y]
    # means 1 and -0.5; y = 1 * 1 + 0.1, -0.5 * 2 - 0.1
    return Case(m, [('INT8', [10, -5] * 4)], [('INT8', [11, -11])])


def case_mean_then_fully_connected():
    return mean_then_layer('FULLY_CONNECTED', [2, 2], {})


def case_mean_then_convolution():
    return mean_then_layer('CONV_2D', [2, 1, 1, 2], {0: B(1), 1: I(1), 2: I(1)})


def dead_channel(name, w_shape, axis, options, values):
    m = Model()
    shape = [1, 2] if name == 'FULLY_CONNECTED' else [1, 1, 1, 2]
    x = m.input('x', shape, 'INT8', scale=0.1)
    w = m.const('w', w_shape, values, 'INT8', scale=[0.1, 0.0], zero=[0, 0], axis=axis)
    b = m.const('b', [2], [100, 100], 'INT32', scale=[0.01, 0.0], axis=0)
    y = m.tensor('y', shape, 'INT8', scale=0.1, zero=2)
    m.op(name, [x, w, b], [y], options)
    m.outputs = [y]
    # the second channel gives 0, whatever its weights and bias
    return Case(m, [('INT8', [10, 20])], [('INT8', [2 + 10 + (10 if axis else 30), 2])])


def case_scale_0_of_a_channel():
    return dead_channel('CONV_2D', [2, 1, 1, 2], 0, {0: B(1), 1: I(1), 2: I(1)}, [10, 10, 10, 10])


def case_scale_0_of_a_depthwise_channel():
    return dead_channel('DEPTHWISE_CONV_2D', [1, 1, 1, 2], 3, {0: B(1), 1: I(1), 2: I(1), 3: I(1)}, [10, 10])


def case_scale_0_of_a_unit():
    return dead_channel('FULLY_CONNECTED', [2, 2], 0, {}, [10, 10, 10, 10])


def case_zero_point_of_int8_weights():
    """TFLite's convolution of INT8 takes the weights as symmetric."""
    m = Model()
    x, y = m.input('x', [1, 1, 1, 2], 'INT8', scale=0.1), m.tensor('y', [1, 1, 1, 1], 'INT8', scale=0.1)
    w = m.const('w', [1, 1, 1, 2], [10, 20], 'INT8', scale=0.1, zero=5)
    m.op('CONV_2D', [x, w, -1], [y], {0: B(1), 1: I(1), 2: I(1)})
    m.outputs = [y]
    return Case(m, [('INT8', [10, 20])], [('INT8', [50])])


def case_bias_of_another_scale():
    m = Model()
    x, y = m.input('x', [1, 1], 'INT8', scale=0.1), m.tensor('y', [1, 1], 'INT8', scale=0.1)
    w, b = m.const('w', [1, 1], [1], 'INT8', scale=0.1), m.const('b', [1], [1], 'INT32', scale=0.02)
    m.op('FULLY_CONNECTED', [x, w, b], [y], {})
    m.outputs = [y]
    return Case(m, [('INT8', [1])], refused=r'\(tensor b\) has scale 0\.01999999.*, input scale times weight scale is 0\.01')


def case_int16_activations():
    m = Model()
    x, y = m.input('x', [2], 'INT16', scale=0.1), m.tensor('y', [2], 'INT16', scale=0.1)
    m.op('RELU', [x], [y])
    m.outputs = [y]
    return Case(m, [('INT16', [1, 2])], refused=r'operation 0 \(RELU\): tensor . is INT16: .* quantize activations to 8 bits')


def case_requantize():
    m = Model()
    x, y = m.input('x', [2], 'UINT8', scale=0.1, zero=128), m.tensor('y', [2], 'INT8', scale=0.2, zero=1)
    m.op('QUANTIZE', [x], [y])
    m.outputs = [y]
    return Case(m, [('UINT8', [138, 108])], [('INT8', [6, -9])])


def case_dequantize_per_channel():
    m = Model()
    c = m.const('c', [2, 2], [1, 2, 3, 4], 'INT8', scale=[0.5, 2], zero=[0, 0], axis=1)
    d, x, y = m.tensor('d', [2, 2]), m.input('x', [2, 2]), m.tensor('y', [2, 2])
    m.op('DEQUANTIZE', [c], [d])
    m.op('ADD', [x, d], [y], {0: B(0)})
    m.outputs = [y]
    return Case(m, [('FLOAT32', [0] * 4)], [('FLOAT32', [0.5, 4, 1.5, 8])])


def case_uint8_weights_per_channel():
    """NNAPI has scales per channel for INT8 only."""
    m = Model()
    x, y = m.input('x', [1, 1, 1, 1], 'UINT8', scale=0.1), m.tensor('y', [1, 1, 1, 2], 'UINT8', scale=0.1)
    w = m.const('w', [2, 1, 1, 1], [10, 20], 'UINT8', scale=[0.1, 0.2], zero=[0, 0], axis=0)
    m.op('CONV_2D', [x, w, -1], [y], {0: B(1), 1: I(1), 2: I(1)})
    m.outputs = [y]
    return Case(m, [('UINT8', [10])], refused=r'tensor w is UINT8 with 2 scales: NNAPI has scales per channel for INT8')


def case_activation_per_channel():
    m = Model()
    x, y = m.input('x', [1, 2], 'UINT8', scale=[0.1, 0.2], axis=1), m.tensor('y', [1, 2], 'UINT8', scale=0.1)
    m.op('RELU', [x], [y])
    m.outputs = [y]
    return Case(m, [('UINT8', [10, 20])], refused=r'tensor x is UINT8 with 2 scales')


def case_weights_without_scale():
    m = Model()
    x, y = m.input('x', [1, 1], 'INT8', scale=0.1), m.tensor('y', [1, 1], 'INT8', scale=0.1)
    m.op('FULLY_CONNECTED', [x, m.const('w', [1, 1], [1], 'INT8'), -1], [y], {})
    m.outputs = [y]
    return Case(m, [('INT8', [1])], refused='tensor w has no scale')


def two(name, x, y, out, expected, condition=None):
    """@x, @y, @out: (scale, zero point)."""
    m = Model()
    inputs = [('INT8', [20, -10]), ('INT8', [4, 30])]
    numbers = [m.input('x', [2], 'INT8', scale=x[0], zero=x[1]), m.input('y', [2], 'INT8', scale=y[0], zero=y[1])]
    if condition:
        numbers.insert(0, m.input('c', [2], 'BOOL'))
        inputs.append(('BOOL', condition))
        m.inputs = m.inputs[-1:] + m.inputs[:-1]
        inputs = inputs[-1:] + inputs[:-1]
    t = m.tensor('t', [2], 'INT8', scale=out[0], zero=out[1])
    m.op(name, numbers, [t])
    m.outputs = [t]
    return Case(m, inputs, [('INT8', quantized(expected, out[0], out[1]))], 1)


def case_select_of_scales():
    # x = 2, -1; y = 1, 14
    return two('SELECT', (0.1, 0), (0.5, 2), (0.2, -5), [2, 14], [1, 0])


def case_maximum_of_scales():
    return two('MAXIMUM', (0.1, 0), (0.5, 2), (0.2, -5), [2, 14])


def case_minimum_of_scales():
    return two('MINIMUM', (0.1, 0), (0.5, 2), (0.2, -5), [1, -1])


def case_greater_of_scales():
    m = Model()
    x, y = m.input('x', [2], 'INT8', scale=0.1), m.input('y', [2], 'INT8', scale=0.5, zero=2)
    t = m.tensor('t', [2], 'BOOL')
    m.op('GREATER', [x, y], [t])
    m.outputs = [t]
    return Case(m, [('INT8', [20, -10]), ('INT8', [4, 30])], [('BOOL', [1, 0])])


def case_hard_swish_of_scales():
    return unary('HARD_SWISH', [-1, 3, 8], 0.1, 0, [-1 / 3, 3, 8], 0.05, -30)


def case_split_requantizes():
    m = Model()
    x = m.input('x', [4], 'INT8', scale=0.1)
    a, b = m.tensor('a', [2], 'INT8', scale=0.2, zero=1), m.tensor('b', [2], 'INT8', scale=0.05)
    m.op('SPLIT', [m.const('axis', [], [0], 'INT32'), x], [a, b], {0: I(2)})
    m.outputs = [a, b]
    return Case(m, [('INT8', [10, -10, 20, -20])], [('INT8', [6, -4]), ('INT8', [40, -40])])


def case_topk_requantizes():
    m = Model()
    x, i = m.input('x', [3], 'INT8', scale=0.1), m.tensor('i', [2], 'INT32')
    y = m.tensor('y', [2], 'INT8', scale=0.2, zero=1)
    m.op('TOPK_V2', [x, m.const('k', [], [2], 'INT32')], [y, i])
    m.outputs = [y, i]
    return Case(m, [('INT8', [10, -10, 20])], [('INT8', [11, 6]), ('INT32', [2, 0])])


def case_transpose_conv_per_channel():
    m = Model()
    x, y = m.input('x', [1, 1, 1, 1], 'INT8', scale=0.5), m.tensor('y', [1, 1, 1, 2], 'INT8', scale=0.5, zero=3)
    w = m.const('w', [2, 1, 1, 1], [10, 10], 'INT8', scale=[0.1, 0.2], zero=[0, 0], axis=0)
    m.op('TRANSPOSE_CONV', [m.ints([1, 1, 1, 2]), w, x], [y], {0: B(1), 1: I(1), 2: I(1)})
    m.outputs = [y]
    return Case(m, [('INT8', [4])], [('INT8', [7, 11])])
