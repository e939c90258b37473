/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Codes that mean what a vendor says: deprecated since feature level 3, where extensions came. Like
 * on Android they are in no other header. Guarded by the names that Android's own copies of this
 * header have, so that a program may include either, or both.
 */
#if !defined(ANDROID_ML_NN_RUNTIME_NEURAL_NETWORKS_OEM_H) && \
	!defined(ANDROID_PACKAGES_MODULES_NEURALNETWORKS_RUNTIME_NEURAL_NETWORKS_OEM_H)
#define ANDROID_ML_NN_RUNTIME_NEURAL_NETWORKS_OEM_H
#define ANDROID_PACKAGES_MODULES_NEURALNETWORKS_RUNTIME_NEURAL_NETWORKS_OEM_H

/** Operand codes. */
enum {
	ANEURALNETWORKS_OEM_SCALAR = 10000,
	ANEURALNETWORKS_TENSOR_OEM_BYTE = 10001,
};

/** Operation code. */
enum {
	ANEURALNETWORKS_OEM_OPERATION = 10000,
};

#endif
