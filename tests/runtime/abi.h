/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ABI that programs compiled against the NDK's header rely on, checked at compile time, as C
 * and as C++: values of constants, layouts of structures, types of functions, the order of the
 * Support Library's table.
 */
#ifndef ABI_H
#define ABI_H

#include <stddef.h>

#include "NeuralNetworksExtensions.h"
#include "NeuralNetworksOEM.h"
#include "NeuralNetworksSupportLibraryImpl.h"

#ifdef __cplusplus
#include <type_traits>
#define CHECK(what) static_assert(what, #what);
#define SAME(a, b) (std::is_same<a, b>::value)
#define TYPE_OF(x) decltype(x)
#else
#define CHECK(what) _Static_assert(what, #what);
#define SAME(a, b) __builtin_types_compatible_p(a, b)
#define TYPE_OF(x) __typeof__(x)
#endif

#define VALUE(name, number) CHECK(ANEURALNETWORKS_##name == number)
#include "abi_values.h"
#undef VALUE

#define PROTOTYPE(result, name, arguments) CHECK(SAME(TYPE_OF(&name), result(*) arguments))
#include "abi_prototypes.h"
#undef PROTOTYPE

/* LP64 */
CHECK(sizeof(void *) == 8)
CHECK(sizeof(ANeuralNetworksOperandType) == 24)
CHECK(offsetof(ANeuralNetworksOperandType, type) == 0)
CHECK(offsetof(ANeuralNetworksOperandType, dimensionCount) == 4)
CHECK(offsetof(ANeuralNetworksOperandType, dimensions) == 8)
CHECK(offsetof(ANeuralNetworksOperandType, scale) == 16)
CHECK(offsetof(ANeuralNetworksOperandType, zeroPoint) == 20)
CHECK(sizeof(ANeuralNetworksSymmPerChannelQuantParams) == 16)
CHECK(offsetof(ANeuralNetworksSymmPerChannelQuantParams, channelDim) == 0)
CHECK(offsetof(ANeuralNetworksSymmPerChannelQuantParams, scaleCount) == 4)
CHECK(offsetof(ANeuralNetworksSymmPerChannelQuantParams, scales) == 8)
CHECK(sizeof(ANeuralNetworksOperationType) == 4)
CHECK(SAME(ANeuralNetworksOperationType, int32_t))
CHECK(sizeof(OperandCode) == 4)
CHECK(sizeof(OperationCode) == 4)
CHECK(sizeof(ResultCode) == 4)
CHECK(sizeof(FeatureLevelCode) == 4)
CHECK(sizeof(PriorityCode) == 4)
CHECK(sizeof(DurationCode) == 4)
CHECK(sizeof(DeviceTypeCode) == 4)
CHECK(sizeof(PreferenceCode) == 4)
CHECK(sizeof(PaddingCode) == 4)
CHECK(sizeof(FuseCode) == 4)

/* The Support Library. */
CHECK(offsetof(NnApiSLDriverImpl, implFeatureLevel) == 0)
CHECK(sizeof(NnApiSLDriverImplFL5) == 8 + 104 * sizeof(void *))
CHECK(SAME(NnApiSLDriverImplFL6, NnApiSLDriverImplFL5))
CHECK(SAME(NnApiSLDriverImplFL7, NnApiSLDriverImplFL5))
CHECK(sizeof(NnApiSLDriverImplFL8) == sizeof(NnApiSLDriverImplFL5) + 2 * sizeof(void *))
CHECK(offsetof(NnApiSLDriverImplFL5, base) == 0)
CHECK(offsetof(NnApiSLDriverImplFL8, base) == 0)
#define OWN(number, name) CHECK(offsetof(NnApiSLDriverImplFL5, name) == 8 + number * sizeof(void *))
#define MEMBER(number, name) \
	OWN(number, name)    \
	CHECK(SAME(TYPE_OF(((NnApiSLDriverImplFL5 *)0)->name), TYPE_OF(&name)))
#define MEMBER_FL8(number, name)                                                   \
	CHECK(offsetof(NnApiSLDriverImplFL8, name) == 8 + number * sizeof(void *)) \
	CHECK(SAME(TYPE_OF(((NnApiSLDriverImplFL8 *)0)->name), TYPE_OF(&name)))
#include "abi_table.h"
#undef OWN
#undef MEMBER
#undef MEMBER_FL8

CHECK(sizeof(SL_ANeuralNetworksPerformanceInfo) == 8)
CHECK(offsetof(SL_ANeuralNetworksPerformanceInfo, powerUsage) == 4)
CHECK(sizeof(SL_ANeuralNetworksOperandPerformanceInfo) == 12)
CHECK(offsetof(SL_ANeuralNetworksOperandPerformanceInfo, performanceInfo) == 4)
CHECK(sizeof(SL_ANeuralNetworksExtensionOperandTypeInformation) == 8)
CHECK(offsetof(SL_ANeuralNetworksExtensionOperandTypeInformation, type) == 4)
CHECK(offsetof(SL_ANeuralNetworksExtensionOperandTypeInformation, isTensor) == 6)
CHECK(SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_RELAXED_SCALAR == 0)
CHECK(SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_RELAXED_TENSOR == 1)
CHECK(SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_IF == 2)
CHECK(SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_WHILE == 3)
CHECK(ANNDIAG_INVALID_ARGUMENT == 4)
CHECK(ANNDIAG_DATA_CLASS_MIXED == 5)
CHECK(ANNDIAG_DATA_CLASS_QUANT == 4)
CHECK(ANNDIAG_EXECUTION_MODE_ASYNC_WITH_DEPS == 4)
CHECK(ANNDIAG_EXECUTION_MODE_BURST == 3)

#include "abi_hardware_buffer.h"

#endif
