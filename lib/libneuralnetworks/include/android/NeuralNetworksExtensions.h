/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NNAPI vendor extensions: operand types, operations and attributes that a vendor's driver adds
 * under a name ("com.vendor.extension"). These are platform functions: the NDK does not have them.
 *
 * A process gives a name a number (prefix) at its first use; types and operations of the extension
 * are prefix << 16 | code. Ask for them in each process and never store them. The vendor defines
 * the meaning of types, operations and operand data; the runtime knows the size of a type, and the
 * driver checks the rest. Extensions work between any devices; nnapi-reference has none.
 *
 * An administrator may restrict extensions to listed programs (Documentation/allowlist.rst). For
 * other programs ANeuralNetworksModel_addOperand() and ANeuralNetworksModel_addOperation() return
 * BAD_DATA.
 *
 * Result codes, ownership, threads and units are those of NeuralNetworks.h.
 */
#ifndef ANDROID_ML_NN_RUNTIME_NEURAL_NETWORKS_EXTENSIONS_H
#define ANDROID_ML_NN_RUNTIME_NEURAL_NETWORKS_EXTENSIONS_H

#include "NeuralNetworks.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * ANeuralNetworksDevice_getExtensionSupport() - ask whether a device has an extension
 * @device: a device
 * @extensionName: exact name; an unknown name is not an error
 * @isExtensionSupported: the answer
 *
 * Any thread may call it.
 *
 * Return: NO_ERROR or UNEXPECTED_NULL.
 */
int ANeuralNetworksDevice_getExtensionSupport(const ANeuralNetworksDevice *device,
					      const char *extensionName,
					      bool *isExtensionSupported);

/**
 * ANeuralNetworksModel_getExtensionOperandType() - number of an extension's operand type
 * @model: a model in any state
 * @extensionName: name of the extension; no device needs to have it
 * @operandCodeWithinExtension: the vendor's code of the type
 * @type: the number, for ANeuralNetworksModel_addOperand(), which refuses a type that no device has
 *
 * Return: NO_ERROR; UNEXPECTED_NULL; BAD_DATA if the process has used 65535 names.
 */
int ANeuralNetworksModel_getExtensionOperandType(ANeuralNetworksModel *model,
						 const char *extensionName,
						 uint16_t operandCodeWithinExtension,
						 int32_t *type);

/**
 * ANeuralNetworksModel_getExtensionOperationType() - number of an extension's operation
 * @model: a model in any state
 * @extensionName: name of the extension; no device needs to have it
 * @operationCodeWithinExtension: the vendor's code of the operation
 * @type: the number, for ANeuralNetworksModel_addOperation()
 *
 * When the model is compiled, devices refuse an operation that the extension does not have.
 *
 * Return: NO_ERROR; UNEXPECTED_NULL; BAD_DATA if the process has used 65535 names.
 */
int ANeuralNetworksModel_getExtensionOperationType(ANeuralNetworksModel *model,
						   const char *extensionName,
						   uint16_t operationCodeWithinExtension,
						   ANeuralNetworksOperationType *type);

/**
 * ANeuralNetworksModel_setOperandExtensionData() - parameters of an operand of an extension's type
 * @model: a model that is not finished
 * @index: the operand
 * @data: parameters in the vendor's layout, copied; NULL with a @length of 0 removes them
 * @length: bytes at @data
 *
 * Return: NO_ERROR; UNEXPECTED_NULL; BAD_STATE if the model is finished; BAD_DATA if the operand
 * does not exist or has a type of NNAPI, or @data comes without a length.
 */
int ANeuralNetworksModel_setOperandExtensionData(ANeuralNetworksModel *model, int32_t index,
						 const void *data, size_t length);

/**
 * ANeuralNetworksCompilation_addExtensionAttribute() - attribute of an extension for a compilation
 * @compilation: a compilation for exactly one device (createForDevices) that is not finished
 * @extensionName: name of the extension
 * @attributeCodeWithinExtension: the vendor's code of the attribute
 * @data: value, copied; NULL with a @length of 0
 * @length: bytes at @data
 *
 * A device ignores an attribute that it does not know.
 *
 * Return: NO_ERROR; in this order UNEXPECTED_NULL; BAD_STATE if the compilation is finished;
 * BAD_DATA if it is not for exactly one device, or has the attribute already.
 */
int ANeuralNetworksCompilation_addExtensionAttribute(ANeuralNetworksCompilation *compilation,
						     const char *extensionName,
						     uint16_t attributeCodeWithinExtension,
						     const void *data, size_t length);

/**
 * ANeuralNetworksExecution_addExtensionAttribute() - attribute of an extension for an execution
 * @execution: an execution without a computation, of a compilation for exactly one device
 * @extensionName: name of the extension
 * @attributeCodeWithinExtension: the vendor's code of the attribute
 * @data: value, copied; NULL with a @length of 0
 * @length: bytes at @data
 *
 * A device ignores an attribute that it does not know.
 *
 * Return: NO_ERROR; in this order UNEXPECTED_NULL; BAD_DATA if the compilation is not for exactly
 * one device; BAD_STATE if a computation was started; BAD_DATA if the execution has the attribute
 * already.
 */
int ANeuralNetworksExecution_addExtensionAttribute(ANeuralNetworksExecution *execution,
						   const char *extensionName,
						   uint16_t attributeCodeWithinExtension,
						   const void *data, size_t length);

#ifdef __cplusplus
}
#endif

#endif
