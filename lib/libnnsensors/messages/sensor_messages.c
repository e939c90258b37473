// SPDX-License-Identifier: Apache-2.0
/* Results; sensors.idl has all other values. */
#include "messages/sensor_messages.h"

enum nnsensors_result sensor_get_result(struct nnipc_reader *r)
{
	const uint32_t result = nnipc_get_u32(r);

	if (result <= NNSENSORS_UNKNOWN_ERROR)
		return (enum nnsensors_result)result;
	nnipc_reader_refuse(r);
	return NNSENSORS_UNKNOWN_ERROR;
}
