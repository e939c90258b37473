/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TILES_EMULATOR_H
#define TILES_EMULATOR_H

#include <stdatomic.h>
#include <stdbool.h>

/** What a test chooses before the firmware asks for AMX, and sees afterwards. */
struct tiles_grant {
	bool refused; /* by the kernel */
	bool wrong; /* emulated products have a wrong sum */
	bool granted;
	_Atomic unsigned int requests; /* of the kernel's permission */
	_Atomic unsigned int products; /* emulated */
};

extern struct tiles_grant tiles_grant;

/** False: the processor has AMX, and executes its instructions itself. */
bool tiles_emulated(void);

#endif
