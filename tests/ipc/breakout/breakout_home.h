/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a hostile constructor does with a user's home, before anything of the library is called. It
 * prints "constructor: NAME RESULT" for each attempt: 0, or -errno.
 */
#ifndef TESTS_BREAKOUT_HOME_H
#define TESTS_BREAKOUT_HOME_H

/* In the folder. */
#define BREAKOUT_FILE "profile" /* the user's, with something in it */
#define BREAKOUT_NEW "new" /* is not there */
#define BREAKOUT_SOCKET "bus" /* a listening socket, SOCK_STREAM */

void breakout_home(const char *folder);

#endif
