/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worker that does what a test says: its "vendor library" names its manner, and the methods
 * below, which a real worker does not have, order it about. It speaks the wire by hand, so that it
 * can lie.
 */
#ifndef FAKE_WORKER_H
#define FAKE_WORKER_H

enum fake_method {
	FAKE_PID = 0xf01, /* -> u32: its pid as it sees it */
	FAKE_HANG = 0xf02, /* never answers */
	FAKE_KILL = 0xf03, /* u32 signal: ends by it, without an answer */
	FAKE_EXIT = 0xf04, /* u32 status */
	FAKE_NOTIFY = 0xf05, /* u32 method, u64 callback, u32 times, bytes of the payload */
	FAKE_WRONG_SERIAL = 0xf06, /* answers another call */
	FAKE_PRINT = 0xf07, /* u32 times, text: a line */
	FAKE_HANG_UP = 0xf08, /* of this lane only */
	FAKE_ENVIRONMENT = 0xf09, /* text name -> text value */
	FAKE_DEAF = 0xf0a, /* reads the control socket no more */
	FAKE_RELEASES = 0xf0b, /* -> u32: releases that came */
	FAKE_GARBAGE = 0xf0c /* on the control socket */
};

/*
 * Manners, the last part of the library's path:
 *
 *	plain			obeys
 *	mute			sends nothing, not even HELLO
 *	quits			ends before HELLO, with a last line
 *	refuses			"not permitted"
 *	future			speaks version 7
 *	no-hello		its first message is another one
 *	open-fails		-ENODEV "no card"
 *	open-garbage		a reply to OPEN that is no description
 *	open-dies		ends instead of replying to OPEN
 *	nameless		a device without a name
 *	stubborn		does not end when it is hung up on
 *	changes			another version at each start
 *	prepare-dies		the first preparation of all, of the file "once" beside it, kills it
 *	prepare-dies-always	each preparation kills it
 *	prepare-dies-launched	the same, after the reply
 *	prepare-refuses		INVALID_ARGUMENT, "no such thing", notified after the reply
 *	prepare-refuses-mutely	INVALID_ARGUMENT, without a notification
 *	prepare-twice		is notified twice
 *	prepare-lies		success without a model
 *	memory-unsealed		memory that could shrink
 *	memory-pipe		memory that is a pipe
 *	garbage			replies with a byte too many
 */

#endif
