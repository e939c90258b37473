/* SPDX-License-Identifier: Apache-2.0 */
/* Log lines: "nnapi: ..." on stderr. Compiled into each library that writes them. */
#ifndef NNR_LOG_H
#define NNR_LOG_H

#include <stdbool.h>
#include <stdint.h>

enum nnr_log_level { NNR_LOG_ERROR, NNR_LOG_WARNING, NNR_LOG_INFO, NNR_LOG_DEBUG };
/**
 * NNAPI_LOG=off|error|warning|info|debug chooses what is written (default: error): why a call
 * failed is WARNING, or ERROR where the system is to blame; what was decided, and why, INFO; each
 * call of the API, and each setting that is not the default, DEBUG. Errors and warnings begin with
 * the function of the API that the application called, unless
 * @fmt's text begins with one.
 */
void nnr_log(enum nnr_log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/** Whether lines of that level are written: to save the work of making them. */
bool nnr_log_wanted(enum nnr_log_level level);

/** Log why a call of the API, this function or @function, is refused; the result code. */
#define nnr_refuse(code, ...) nnr_refuse_as(__func__, code, __VA_ARGS__)
#define nnr_refuse_as(function, code, ...) \
	(nnr_log_refusal(function, __VA_ARGS__), ANEURALNETWORKS_##code)
void nnr_log_refusal(const char *function, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* ---- whose fault a line is ---- */

/**
 * The function of the API that this thread is in: the outermost, for the API calls itself. A thread
 * that works for a call takes over its name. NULL: none.
 */
const char *nnr_call_name(void);
struct nnr_call {
	bool outermost;
	int64_t start_ns; /* 0: nobody asks */
};
struct nnr_call nnr_call_begin(const char *function);
void nnr_call_end(const struct nnr_call *call);
/** For the rest of the C scope. A declaration, which one in an inner scope may hide. */
#define NNR_CALL(function)                                                                 \
	_Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"")      \
		const struct nnr_call nnr_this_call                                        \
		__attribute__((cleanup(nnr_call_end), unused)) = nnr_call_begin(function); \
	_Pragma("GCC diagnostic pop") _Static_assert(1, "ends with a semicolon")

#endif
