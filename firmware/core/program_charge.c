// SPDX-License-Identifier: Apache-2.0
/* What programs count: in sum, by context, of idle ones, of kept ones. Under the lock. */
#include "core_program.h"

void nnfw_program_unlink(struct nnfw *fw, struct program *p)
{
	TAILQ_REMOVE(&fw->programs, p, entry);
	p->cached = false;
	fw->num_programs--;
}

void nnfw_program_charge_bytes(struct nnfw *fw, struct program *p, uint64_t bytes)
{
	/* unsigned: a smaller number wraps around and back */
	const uint64_t more = bytes - p->bytes;

	fw->contexts[p->context]->program_bytes += more;
	fw->program_bytes += more;
	p->bytes = bytes;
}

void nnfw_program_uncharge(struct nnfw *fw, struct program *p)
{
	if (p->kept)
		fw->kept_bytes -= p->bytes;
	nnfw_program_charge_bytes(fw, p, 0);
}

void nnfw_program_ref(struct nnfw *fw, struct program *p)
{
	if (!p->refs++ && !p->kept)
		fw->idle_bytes -= p->bytes;
}

void nnfw_program_idle(struct nnfw *fw, const struct program *p)
{
	if (!p->kept)
		fw->idle_bytes += p->bytes;
}

void nnfw_program_forget(struct nnfw *fw, struct program *p)
{
	nnfw_program_unlink(fw, p);
	if (p->refs)
		return;
	if (!p->kept)
		fw->idle_bytes -= p->bytes;
	nnfw_program_uncharge(fw, p);
	TAILQ_INSERT_TAIL(&fw->garbage, p, entry);
}
