/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device operations, and their operands. Image tensors are NHWC; filters as each operation
 * says. Documentation/operations.rst says what they compute.
 */
#ifndef NNPROG_OPCODE_H
#define NNPROG_OPCODE_H

#define NNPROG_OPSET_VERSION 3u

/**
 * Device operations, own numbering; new ones at the end. Operands and attribute struct are named in
 * the comment; "opt" operands may be OMITTED tensors. Their descriptors: nnprog_op_find().
 */
enum nnprog_opcode {
	NNPROG_OP_NONE = 0,
	/*
	 * in: input [N,H,W,Cin], filter [Cout,Hf,Wf,Cin], bias [Cout]; out [N,Ho,Wo,Cout]; attr
	 * conv2d
	 */
	NNPROG_OP_CONV_2D = 1,
	/* in: input [N,H,W,Cin], filter [1,Hf,Wf,Cin*m], bias [Cin*m]; attr conv2d, multiplier m */
	NNPROG_OP_DEPTHWISE_CONV_2D = 2,
	/*
	 * in: input (rank >= 1, read as [batch,in]), weights [units,in], bias [units]; out
	 * [batch,units]; attr act
	 */
	NNPROG_OP_FULLY_CONNECTED = 3,
	/* in: input [N,H,W,C]; attr pool2d */
	NNPROG_OP_POOL_2D = 4,
	/* in: a, b broadcast; attr binary */
	NNPROG_OP_BINARY = 5,
	/* in: x; attr unary */
	NNPROG_OP_UNARY = 6,
	/* in: x; attr softmax */
	NNPROG_OP_SOFTMAX = 7,
	/* in: x, shape INT32 [n] (one -1 allowed); attr none */
	NNPROG_OP_RESHAPE = 8,
	/* in: 1..n tensors; attr axis */
	NNPROG_OP_CONCATENATION = 9,
	/*
	 * in: x, paddings INT32 [rank,2], value (scalar of x's type, opt: zero / zero point); attr
	 * none
	 */
	NNPROG_OP_PAD = 10,
	/* in: x, axes INT32 [n] (negative and repeated allowed); attr reduce */
	NNPROG_OP_REDUCE = 11,
	/* in: x [N,H,W,C], size INT32 [2] height, width (opt); attr resize */
	NNPROG_OP_RESIZE = 12,
	/* in: x; out any shape-equal tensor: by the types and quantization of both; attr convert */
	NNPROG_OP_CONVERT = 13,
	/* in: x, permutation INT32 [rank] (opt: reversal); attr none */
	NNPROG_OP_TRANSPOSE = 14,
	/* in: x; out INT32, axis removed ([1] for a vector); attr arg_minmax */
	NNPROG_OP_ARG_MINMAX = 15,
	/*
	 * Sequence LSTM, float. in, in NNAPI's order of UNIDIRECTIONAL_SEQUENCE_LSTM: 0 input
	 * [B,T,I] or [T,B,I]; 1..4 input weights i(opt) f c o; 5..8 recurrent weights i(opt) f c
	 * o; 9..11 peephole i f o (opt); 12..15 bias i(opt) f c o; 16 projection weights (opt); 17
	 * projection bias (opt); 18 output state in [B,O]; 19 cell state in [B,U]; 20..23 layer
	 * norm i f c o (opt); 24 aux input (opt); 25..28 aux weights i f c o (opt); 29, which may
	 * be left out with or without those before it: aux weights f of the other direction's cell
	 * (opt). Input of rank 2 [B,I]: one step. Linking: with its weights the aux input is added;
	 * without them it is read in place of the input by a cell with reverse, and not at all by
	 * one without. 29 is there just when 26 is. out: 0 output; opt 1 output state, 2 cell
	 * state, 3 scratch (zeros, NNAPI's LSTM); attr lstm
	 */
	NNPROG_OP_SEQUENCE_LSTM = 16,
	/* in: a, b broadcast; out BOOL8; attr compare */
	NNPROG_OP_COMPARE = 17,
	/*
	 * in: condition BOOL8, x, y, all of one shape; x and y requantized to the output; attr none
	 */
	NNPROG_OP_SELECT = 18,
	/* in: x, axes INT32 [n] (opt: every extent of 1); all removed leaves [1]; attr none */
	NNPROG_OP_SQUEEZE = 19,
	/* in: x; attr axis, in [-(rank + 1), rank + 1) */
	NNPROG_OP_EXPAND_DIMS = 20,
	/* in: x, begin INT32 [rank], size INT32 [rank] (-1: to the end); attr none */
	NNPROG_OP_SLICE = 21,
	/* in: x, begin, end, strides INT32 [rank]; attr strided_slice */
	NNPROG_OP_STRIDED_SLICE = 22,
	/* in: x; out: equal parts along the axis, as many as there are outputs; attr axis */
	NNPROG_OP_SPLIT = 23,
	/* in: x, indices INT32 (any rank); out x[:axis] + indices + x[axis + 1:]; attr axis */
	NNPROG_OP_GATHER = 24,
	/*
	 * in: lookups INT32 [k], keys INT32 [n] ascending, values [n, ...]; out values [k, ...],
	 * hits UINT8 [k]
	 */
	NNPROG_OP_HASHTABLE_LOOKUP = 25,
	/* in: x, multiples INT32 [rank]; attr none */
	NNPROG_OP_TILE = 26,
	/* in: x, paddings INT32 [rank,2]; attr mirror_pad */
	NNPROG_OP_MIRROR_PAD = 27,
	/* in: x, axis INT32 [1]; attr none */
	NNPROG_OP_REVERSE = 28,
	/* in: x [N,H,W,C]; attr space_depth */
	NNPROG_OP_SPACE_DEPTH = 29,
	/*
	 * in: x [N,H,W,C], block INT32 [2] (height, width), paddings INT32 [2,2] (opt; to batch
	 * only); attr space_batch
	 */
	NNPROG_OP_SPACE_BATCH = 30,
	/* in: x; attr channel_shuffle */
	NNPROG_OP_CHANNEL_SHUFFLE = 31,
	/*
	 * in: x; out values, indices INT32, [..., k]; descending, of equal ones the larger index
	 * first; attr topk
	 */
	NNPROG_OP_TOPK = 32,
	/* in: dims INT32 [rank], value (one element); attr none */
	NNPROG_OP_FILL = 33,
	/* in: x; out INT32 scalar; attr none */
	NNPROG_OP_RANK = 34,
	/* in: x; attr axis */
	NNPROG_OP_L2_NORMALIZATION = 35,
	/* in: x; attr lrn */
	NNPROG_OP_LOCAL_RESPONSE_NORMALIZATION = 36,
	/* in: x [N,H,W,C]; attr instance_normalization */
	NNPROG_OP_INSTANCE_NORMALIZATION = 37,
	/* in: x, y of equal rank 2..4 and equal batch dims; attr batch_matmul */
	NNPROG_OP_BATCH_MATMUL = 38,
	/* in: input [N,H,W,Cin], filter [Cout,Hf,Wf,Cin], bias [Cout], output shape INT32 [4] NHWC
	 * (opt: implicit SAME only, its H and W are read); attr transpose_conv */
	NNPROG_OP_TRANSPOSE_CONV_2D = 39,
	/* in: 0 x [B,T,I], [T,B,I] or [B,I] (one step), 1 weights [U,I], 2 recurrent [U,U], 3 bias
	 * [U], 4 state [B,U], 5 aux x (opt), 6 aux weights [U,A] (opt), 7 those of the other
	 * direction's cell (opt), linked as in SEQUENCE_LSTM; out: 0 output, opt 1 state [B,U];
	 * attr rnn */
	NNPROG_OP_SEQUENCE_RNN = 40,
	/*
	 * in: x [B,I], feature weights [F,I], time weights [F,M], bias [U] (opt), state [B,M*F];
	 * out state, [B,U]; attr svdf
	 */
	NNPROG_OP_SVDF = 41,
	/*
	 * in: NNAPI's inputs 0..23 of QUANTIZED_LSTM; out: state, cell state, output; attr
	 * quantized_lstm
	 */
	NNPROG_OP_QUANTIZED_LSTM = 42,
	/* in: NNAPI's 15 inputs of QUANTIZED_16BIT_LSTM; out: cell state, output; attr none */
	NNPROG_OP_QUANTIZED_16BIT_LSTM = 43,
	/* in: x [N,H,W,C], rois [R,4], batch INT32 [R]; out [R,h,w,C]; attr roi */
	NNPROG_OP_ROI_ALIGN = 44,
	NNPROG_OP_ROI_POOLING = 45,
	/* in: heatmap [B,S,S,K], boxes [B,4]; out scores [B,K], keypoints [B,K,2]; attr none */
	NNPROG_OP_HEATMAP_MAX_KEYPOINT = 46,
	/*
	 * in: rois [R,4], deltas [R,4K], batch INT32 [R], image info [N,2]; out [R,4K]; attr none
	 */
	NNPROG_OP_AXIS_ALIGNED_BBOX_TRANSFORM = 47,
	/* in: scores [R,K], rois [R,4K], batch INT32 [R]; out (run decides n): scores [n], rois
	 * [n,4], class INT32 [n], batch INT32 [n]; attr box_nms */
	NNPROG_OP_BOX_WITH_NMS_LIMIT = 48,
	/* in: scores [N,H,W,A], deltas [N,H,W,4A], anchors [A,4], image info [N,2]; out (run
	 * decides n): scores [n], rois [n,4], batch INT32 [n]; attr proposals */
	NNPROG_OP_GENERATE_PROPOSALS = 49,
	/* in: scores [N,A,K], deltas [N,A,4..], anchors [A,4]; out scores [N,D], boxes [N,D,4],
	 * classes INT32 [N,D], count INT32 [N]; attr detection */
	NNPROG_OP_DETECTION_POSTPROCESSING = 50,
	/*
	 * in: hash [n,bits], input [i, ...], weight [i] (opt); out INT32 [n] or [n*bits]; attr lsh
	 */
	NNPROG_OP_LSH_PROJECTION = 51,
	/* in: logits [B,C], seeds INT32 [2]; out INT32 [B,samples]; attr multinomial */
	NNPROG_OP_RANDOM_MULTINOMIAL = 52,
	/* in: values [n], traversal INT32 [L], block map INT32 [B] (opt), formats INT32 [L], sizes
	 * INT32 [L], then per level segments and indices INT32 (opt); attr none */
	NNPROG_OP_DENSIFY = 53,
	/* in: condition BOOL8 [1], then the branches' inputs; out the branches' outputs; attr if */
	NNPROG_OP_IF = 54,
	/* in: the bodies' inputs; out: the first outputs of the body; attr while */
	NNPROG_OP_WHILE = 55,
	NNPROG_OP_COUNT,
	/*
	 * an extension's operation, found by the extension's name: operands are its own; attr
	 * extension, then its own
	 */
	NNPROG_OP_EXTENSION = 0x10000,
};

#endif
