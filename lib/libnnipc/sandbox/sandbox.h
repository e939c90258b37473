/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sandbox of a worker process. Knows no device: vendor libraries have profiles.
 *
 * Three moments: nnipc_spawn() in the parent starts a program in namespaces of its own, with one
 * socket; nnipc_sandbox_enter() is the first thing that the program does, with one thread;
 * nnipc_sandbox_close() comes when the vendor library has opened its nodes: from then on the
 * process has what it holds and gets nothing new.
 *
 * A layer that the machine does not allow is left out and reported; NNIPC_SANDBOX_STRICT refuses
 * then. Documentation/isolation.rst says what each layer is for.
 */
#ifndef NNIPC_SANDBOX_H
#define NNIPC_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * enum nnipc_layer - layers of the sandbox, a bit each
 */
enum nnipc_layer {
	NNIPC_LAYER_USER_NS = 1 << 0,
	NNIPC_LAYER_MOUNT_NS = 1 << 1,
	NNIPC_LAYER_PID_NS = 1 << 2,
	NNIPC_LAYER_IPC_NS = 1 << 3,
	NNIPC_LAYER_UTS_NS = 1 << 4,
	NNIPC_LAYER_NET_NS = 1 << 5,
	NNIPC_LAYER_CGROUP_NS = 1 << 6,
	NNIPC_LAYER_EMPTY_ROOT = 1 << 7,
	NNIPC_LAYER_RLIMITS = 1 << 8,
	NNIPC_LAYER_NO_NEW_PRIVS = 1 << 9,
	NNIPC_LAYER_NO_CAPABILITIES = 1 << 10,
	NNIPC_LAYER_LANDLOCK = 1 << 11,
	NNIPC_LAYER_SECCOMP = 1 << 12,
	NNIPC_LAYER_ALL = (1 << 13) - 1
};
/** "user", "mount", ... of one bit. */
const char *nnipc_layer_name(enum nnipc_layer layer);
/** The names of @layers, separated by blanks; "none". */
void nnipc_layers_text(uint32_t layers, char *text, size_t size);

/**
 * enum nnipc_sandbox_mode - how much sandbox
 * @NNIPC_SANDBOX_OFF: none; for debuggers and sanitizers
 * @NNIPC_SANDBOX_LEARN: all, but system calls that are not allowed are printed and run
 * @NNIPC_SANDBOX_DEFAULT: as much as the machine allows
 * @NNIPC_SANDBOX_STRICT: all layers, or nothing runs
 */
enum nnipc_sandbox_mode {
	NNIPC_SANDBOX_OFF,
	NNIPC_SANDBOX_LEARN,
	NNIPC_SANDBOX_DEFAULT,
	NNIPC_SANDBOX_STRICT
};
/** "off", "learn", "default", "strict". 0 or -EINVAL. */
int nnipc_sandbox_mode_parse(const char *text, enum nnipc_sandbox_mode *mode);
const char *nnipc_sandbox_mode_name(enum nnipc_sandbox_mode mode);

/* ---- the parent ---- */

struct nnipc_spawn_config {
	const char *program; /* absolute path */
	char *const *argv, *const *envp;
	int socket; /* becomes descriptor 3; stays the caller's */
	int log; /* becomes standard output and error; negative: /dev/null */
	enum nnipc_sandbox_mode mode;
};

struct nnipc_child {
	pid_t pid;
	int pidfd; /* close-on-exec */
	uint32_t namespaces; /* enum nnipc_layer: those that it has */
};

/**
 * nnipc_spawn() - start a worker process
 * @config: what to start
 * @child: set
 * @message: on an error, why
 * @size: of @message
 *
 * Safe in a host with threads, locks held and handlers of its own: the child runs no code but this
 * library's before exec, inherits no descriptor but 0 to 3 and no signal handler or mask, and its
 * end raises no SIGCHLD and cannot be taken by the host's own wait(). Namespaces that the machine
 * refuses are left out one by one.
 *
 * Return: 0; -errno of clone() or execve().
 */
int nnipc_spawn(const struct nnipc_spawn_config *config, struct nnipc_child *child, char *message,
		size_t size);

/**
 * nnipc_child_wait() - wait for the end of a child, and reap it
 * @child: of nnipc_spawn()
 * @grace_ns: most time until it is killed; 0: kill at once; negative: wait without a limit
 * @how: set to text: "exit status 1", "signal 9 (Killed)"; may be NULL
 * @size: of @how
 *
 * Closes the pidfd. Return: the status of waitid(): exit status, or minus the signal.
 */
int nnipc_child_wait(struct nnipc_child *child, int64_t grace_ns, char *how, size_t size);
/** Whether the child has ended; does not reap. */
bool nnipc_child_ended(const struct nnipc_child *child);
void nnipc_child_kill(const struct nnipc_child *child);

/* ---- the worker ---- */

struct nnipc_sandbox {
	enum nnipc_sandbox_mode mode;
	uint32_t namespaces; /* those that the parent has made */
	uint32_t layers; /* active */
	const char *profile; /* file with additions of the vendor library; NULL: none */
};

/**
 * nnipc_sandbox_enter() - first, with one thread
 * @sandbox: mode, namespaces and profile are set; layers becomes what is active
 * @message: on an error, why
 * @size: of @message
 *
 * Maps the user, leaves the namespaces that are still the parent's where it can, dies with the
 * parent, sets limits of resources.
 *
 * Return: 0; -EPERM: strict, and a layer is not possible.
 */
int nnipc_sandbox_enter(struct nnipc_sandbox *sandbox, char *message, size_t size);

/**
 * nnipc_sandbox_close() - everything is open: shut the door
 * @sandbox: of nnipc_sandbox_enter()
 * @message: on an error, why
 * @size: of @message
 *
 * Threads may run: the system call filter and Landlock cover all of them. (Capabilities and
 * no_new_privs of threads that exist already: the implementation says how.)
 *
 * Return: 0; -EPERM: strict, and a layer is not possible; -EINVAL: the profile is malformed.
 */
int nnipc_sandbox_close(struct nnipc_sandbox *sandbox, char *message, size_t size);

#endif
