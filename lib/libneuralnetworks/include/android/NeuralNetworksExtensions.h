/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NNAPI vendor extensions: operand types, operations and attributes that a vendor's driver brings
 * under a name
 * ("com.vendor.extension"), beside those of NeuralNetworks.h. Platform functions: the NDK does not
 * have them.
 *
 * A name gets a number (prefix) in each process when it is first used; types and operations of the
 * extension are prefix << 16 | code, so they must be asked for in each process and never be stored.
 * What an extension's types and operations mean, and the data of its operands, is the vendor's: the
 * runtime knows how large a type is, and the driver checks the rest. Extensions work between any
 * devices; nnapi-reference has none.
 *
 * An administrator may restrict who uses extensions (Documentation/allowlist.rst): to others
 * ANeuralNetworksModel_addOperand() and _addOperation() answer BAD_DATA.
 *
 * Results, ownership, threads and units as in NeuralNetworks.h.
 */
#ifndef ANDROID_ML_NN_RUNTIME_NEURAL_NETWORKS_EXTENSIONS_H
#define ANDROID_ML_NN_RUNTIME_NEURAL_NETWORKS_EXTENSIONS_H

#include "NeuralNetworks.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Whether the device has the extension of exactly that name; a name that nobody knows is no error.
 * Any thread.
 */
int ANeuralNetworksDevice_getExtensionSupport(const ANeuralNetworksDevice *device,
					      const char *extensionName,
					      bool *isExtensionSupported);

/**
 * The number of an extension's operand type, for ANeuralNetworksModel_addOperand(). The state of
 * the model does not matter, nor whether a device has the extension: without one the type is
 * refused where it is used. BAD_DATA: the process has used 65535 names.
 */
int ANeuralNetworksModel_getExtensionOperandType(ANeuralNetworksModel *model,
						 const char *extensionName,
						 uint16_t operandCodeWithinExtension,
						 int32_t *type);

/**
 * The number of an extension's operation, for ANeuralNetworksModel_addOperation(). As
 * ANeuralNetworksModel_getExtensionOperandType(). An operation that the extension does not have is
 * refused by the devices, when the model is compiled.
 */
int ANeuralNetworksModel_getExtensionOperationType(ANeuralNetworksModel *model,
						   const char *extensionName,
						   uint16_t operationCodeWithinExtension,
						   ANeuralNetworksOperationType *type);

/**
 * Parameters of an operand of an extension's type: @length bytes, copied, laid out as the vendor
 * says; NULL and 0: none. BAD_STATE: the model is finished. BAD_DATA: no such operand, one of
 * another type, or @data without length.
 */
int ANeuralNetworksModel_setOperandExtensionData(ANeuralNetworksModel *model, int32_t index,
						 const void *data, size_t length);

/**
 * An attribute of the extension for compiling: @length bytes, copied (NULL with 0). A device that
 * does not know it ignores it. In order: UNEXPECTED_NULL; BAD_STATE: finished; BAD_DATA: the
 * compilation is not for exactly one device (createForDevices), or has that attribute already.
 */
int ANeuralNetworksCompilation_addExtensionAttribute(ANeuralNetworksCompilation *compilation,
						     const char *extensionName,
						     uint16_t attributeCodeWithinExtension,
						     const void *data, size_t length);

/**
 * An attribute of the extension for one execution, as
 * ANeuralNetworksCompilation_addExtensionAttribute(). In order: UNEXPECTED_NULL; BAD_DATA: the
 * compilation is not for exactly one device; BAD_STATE: a computation was started; BAD_DATA: it has
 * that attribute already.
 */
int ANeuralNetworksExecution_addExtensionAttribute(ANeuralNetworksExecution *execution,
						   const char *extensionName,
						   uint16_t attributeCodeWithinExtension,
						   const void *data, size_t length);

#ifdef __cplusplus
}
#endif

#endif
