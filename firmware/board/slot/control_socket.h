/* SPDX-License-Identifier: Apache-2.0 */
/* The control socket, DIR/control.sock. */
#ifndef NNBOARD_CONTROL_SOCKET_H
#define NNBOARD_CONTROL_SOCKET_H

#include "slot/slot.h"

void control_socket_accept(struct slot *slot);
/** Events the connection waits for, for poll(). */
short control_socket_events(const struct control_connection *control);
void control_socket_event(struct slot *slot, struct control_connection *control, short revents);
void control_socket_close(struct control_connection *control);

#endif
