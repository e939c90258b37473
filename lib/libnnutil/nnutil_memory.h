/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that another process or thread can change at any time. */
#ifndef NNUTIL_MEMORY_H
#define NNUTIL_MEMORY_H

/**
 * Read @x, a scalar in shared memory, exactly once: what is checked is what is used. The compiler
 * may read a plain variable a second time.
 */
#define NNUTIL_READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))

#endif
