/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Descriptors of a client's memory that go to the other side, which may be hostile: it must not do
 * more with them than the client's call says.
 */
#ifndef NNIPC_LENT_FD_H
#define NNIPC_LENT_FD_H

#include "wire/marshal.h"

/**
 * nnipc_put_lent_fd() - a descriptor of memory
 * @w: writer
 * @fd: memory, which stays the caller's; negative or not open: none
 * @write: the other side may write it
 *
 * A file that the peer must not write goes over opened anew for reading only, unless it is so
 * already. A memfd that may be written is sealed against shrinking, for good, if it takes seals: an
 * access of the client to its mapping raises no SIGBUS. A file goes over with an open file
 * description of its own: place, flags and locks of the client's stay the client's. A descriptor of
 * another kind (a dma-buf) goes over as it is.
 *
 * The writer's error: -EACCES for a writable descriptor of what is only to be read that cannot be
 * opened anew; -EMFILE, -ENFILE or -ENOMEM if there is no room for another descriptor.
 */
void nnipc_put_lent_fd(struct nnipc_writer *w, int fd, bool write);

#endif
