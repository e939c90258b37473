/* SPDX-License-Identifier: Apache-2.0 */
/* The admin ring. */
#ifndef NNBOARD_ADMIN_H
#define NNBOARD_ADMIN_H

#include "card/card.h"

/** Serve what the admin ring holds. */
void admin_serve(struct card *card);

#endif
