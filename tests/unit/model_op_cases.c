// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "model_op_cases.h"
#include "probes/nnctl_probes.h"

const struct op_case *op_case_at(size_t i)
{
	return i < op_cases.num ? &op_cases.cases[i] : NULL;
}

/* Whether "3:Q8,QPC 4:F16" lists @name at @operand. */
static bool listed(const char *list, uint32_t operand, const char *name)
{
	const size_t len = strlen(name);

	while (*list) {
		bool here = strtoul(list, (char **)&list, 10) == operand;

		do {
			list++;
			if (here && !strncmp(list, name, len) && strchr(", ", list[len]))
				return true;
			list += strcspn(list, ", ");
		} while (*list == ',');
		list += *list == ' ';
	}
	return false;
}

bool op_case_allows(const struct op_case *c, uint32_t n, uint32_t type)
{
	return type < NNMODEL_SUBGRAPH && listed(c->types, n, probe_type_name(type));
}

bool op_case_drops(const struct op_case *c, uint32_t n)
{
	const char *list = c->drop;

	while (*list)
		if (strtoul(list, (char **)&list, 10) == n)
			return true;
	return false;
}
