/* SPDX-License-Identifier: Apache-2.0 */
/* Output of --json. */
#ifndef NNCTL_JSON_PRINT_H
#define NNCTL_JSON_PRINT_H

#include <cjson/cJSON.h>

/** Print on standard output, and delete. */
void json_print(cJSON *json);

#endif
