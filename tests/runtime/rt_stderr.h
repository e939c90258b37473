/* SPDX-License-Identifier: Apache-2.0 */
/* What the runtime writes to stderr. */
#ifndef RT_STDERR_H
#define RT_STDERR_H

/** From now on stderr is the file temp_path("log"), empty at first. */
void rt_listen_begin(void);
/** Until now; the file's path. */
const char *rt_listen_end(void);
/** The same; how many of the lines have @text. */
unsigned int rt_listen_count(const char *text);

#endif
