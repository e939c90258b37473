/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operands of SEQUENCE_LSTM and, up to the layer normalization, of QUANTIZED_LSTM (nnprog_opcode.h
 * describes them), for their rules and kernels. Gates are counted i f c o. Not for other files: the
 * names have no prefix.
 */
#ifndef LSTM_OPERANDS_H
#define LSTM_OPERANDS_H

enum {
	INPUT = 0,
	W_I = 1, /* weights */
	W_F,
	W_C,
	W_O,
	R_I = 5, /* recurrent weights */
	R_F,
	R_C,
	R_O,
	P_I = 9, /* peephole */
	P_F,
	P_O,
	B_I = 12, /* bias */
	B_F,
	B_C,
	B_O,
	PROJ_W = 16, /* projection */
	PROJ_B,
	H_IN = 18, /* states */
	C_IN,
	LN_I = 20, /* layer normalization */
	LN_F,
	LN_C,
	LN_O,
	AUX = 24, /* auxiliary input and its weights */
	A_I,
	A_F,
	A_C,
	A_O,
	OTHER_A_F,
	NUM_OPERANDS,
	NUM_WITHOUT_OTHER = OTHER_A_F,
	NUM_WITHOUT_AUX = AUX
};

enum { GATE_I, GATE_F, GATE_C, GATE_O, NUM_GATES };

#define MASK3(a, b, c) (1u << (a) | 1u << (b) | 1u << (c))
/* Inputs that may be omitted. */
#define OPTIONAL (MASK3(W_I, R_I, B_I) | 7u << P_I | 3u << PROJ_W | 15u << LN_I)
#define OPTIONAL_AUX (63u << AUX)

#endif
