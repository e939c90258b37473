/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NNFW_VARIANT_H
#define NNFW_VARIANT_H

#ifndef NNFW_VARIANTS
#error "a source with variants belongs into nnfw_ops_variant_sources of meson.build"
#endif

/**
 * Variants of an inner loop for what the processor has; NNFW_HAVE() picks one per run, in one place
 * a family. All variants give the same bits: integers, or float32 with one rounding an operation
 * (targets without FMA, and the build has -ffp-contract=off as well). With NNFW_PORTABLE only the
 * portable variant is built; the tests run both.
 */
#if defined(__x86_64__) && !defined(NNFW_PORTABLE)
#define NNFW_X86 1
#define NNFW_TARGET(t) __attribute__((target(t)))
#define NNFW_HAVE(t) __builtin_cpu_supports(t)
#endif

#endif
