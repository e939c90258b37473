/* SPDX-License-Identifier: Apache-2.0 */
/* What a worker may try. */
#ifndef TESTS_SANDBOX_DEEDS_H
#define TESTS_SANDBOX_DEEDS_H

struct sandbox_deed {
	const char *name;
	void (*before)(void); /* before the sandbox is locked; NULL: nothing */
	void (*after)(void); /* after it */
};
const struct sandbox_deed *sandbox_deed_find(const char *name);

#endif
