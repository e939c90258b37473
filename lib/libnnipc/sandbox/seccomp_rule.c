// SPDX-License-Identifier: Apache-2.0
/* One rule of the filter of system calls. */
#include "sandbox/sandbox_private.h"

int nnipc_add_rule(struct nnipc_seccomp_rules *rules, uint32_t action, int call, unsigned int count,
		   const struct scmp_arg_cmp *arguments)
{
	/* numbers of calls that other processors have are negative */
	if (call >= 0 && (size_t)call < sizeof(rules->named) && rules->named[call])
		return 0;
	return seccomp_rule_add_array(rules->filter, action, call, count, arguments);
}

int nnipc_allow_ioctl(struct nnipc_seccomp_rules *rules, unsigned int request)
{
	const struct scmp_arg_cmp code = NNIPC_INT_ARGUMENT(1, request);

	return nnipc_add_rule(rules, SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 1, &code);
}
