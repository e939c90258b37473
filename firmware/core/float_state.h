/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The floating-point state of a thread. Operations compute with the default one: rounding to
 * nearest, subnormal numbers as they are, no traps. An application's threads may have another, and
 * threads inherit it from their creators.
 */
#ifndef NNFW_FLOAT_STATE_H
#define NNFW_FLOAT_STATE_H

#include <fenv.h>

struct nnfw_float_state {
#ifdef __SSE2__
	unsigned int mxcsr;
#else
	fenv_t env;
#endif
};

static inline void nnfw_float_save(struct nnfw_float_state *state)
{
#ifdef __SSE2__
	state->mxcsr = __builtin_ia32_stmxcsr();
#else
	fegetenv(&state->env);
#endif
}

static inline void nnfw_float_restore(const struct nnfw_float_state *state)
{
#ifdef __SSE2__
	__builtin_ia32_ldmxcsr(state->mxcsr);
#else
	fesetenv(&state->env);
#endif
}

static inline void nnfw_float_default(void)
{
#ifdef __SSE2__
	/* all exceptions masked, the rest 0; fesetenv() leaves flush-to-zero as it is in some
	 * libraries */
	__builtin_ia32_ldmxcsr(0x1f80);
#else
	fesetenv(FE_DFL_ENV);
#endif
}

#endif
