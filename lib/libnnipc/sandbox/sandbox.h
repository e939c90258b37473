/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sandbox of a worker process. Knows no device: vendor libraries have profiles.
 *
 * Three moments: nnipc_spawn() in the parent starts a program with one socket;
 * nnipc_sandbox_enter() is the first thing that the program does, with one thread: the vendor
 * library is loaded and opens its nodes in namespaces of its own, behind a first filter and from a
 * list of places;
 * nnipc_sandbox_lock() comes when the vendor library has opened its nodes: from then on the
 * process has what it holds and gets nothing new.
 *
 * A worker is two processes. The program that nnipc_spawn() has started becomes the monitor: it
 * runs no code of a vendor, holds the capabilities that the sandbox still needs, tells the parent
 * how the worker ended, and kills it when the parent is gone. Its child is the worker. Why: a child
 * that has called execve() raises SIGCHLD and is seen by every wait() of the host program, so the
 * monitor must not be the host's child, and another process has to wait for the worker. And a
 * process that dies with its parent (PR_SET_PDEATHSIG) dies with the parent's thread: the monitor
 * has one.
 *
 * A layer that the machine does not allow is left out and reported; NNIPC_SANDBOX_STRICT refuses
 * then, and the default mode where too little is left. Documentation/isolation.rst says what each
 * layer is for.
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
 * @NNIPC_SANDBOX_DEFAULT: as much as the machine allows; without a floor (isolation.rst) nothing
 *	runs
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
/** Whether a worker may run with @layers. 0; -EPERM with a message. */
int nnipc_layers_suffice(enum nnipc_sandbox_mode mode, uint32_t layers, char *message, size_t size);
/** The layers that are missing in @layers, and that no earlier call of this process returned. */
uint32_t nnipc_layers_news(uint32_t layers);

/** enum nnipc_use - what a vendor library may do with a file, or with all below a folder */
enum nnipc_use {
	NNIPC_USE_READ,
	NNIPC_USE_WRITE, /* read, write, cut: what is there */
	NNIPC_USE_DEVICE /* read, write, ioctls */
};
struct nnipc_place {
	const char *path;
	enum nnipc_use use;
};

/* ---- the parent ---- */

struct nnipc_spawn_config {
	const char *program; /* absolute path */
	char *const *argv, *const *envp;
	int socket; /* becomes descriptor 3; stays the caller's */
	int log; /* becomes standard output and error; negative: /dev/null */
	int cgroup; /* open cgroup.procs of the one that it runs in; 0: the caller's */
};

struct nnipc_child {
	pid_t pid; /* the worker's in our pid namespace; the monitor's if there is no worker yet */
	int pidfd; /* the monitor's; close-on-exec. Kill with nnipc_child_kill() */
	/*
	 * The layers that the worker had when the vendor library was still to be loaded. Its own
	 * report, of a time when no hostile code had run.
	 */
	uint32_t entered;
	int status; /* private: the monitor's words. Readable: nnipc_child_shut() */
	unsigned int filters; /* private: of system calls, of the parent itself */
	bool announced; /* private: there is a worker */
	bool shut, ended; /* private: the monitor reported it */
	int end; /* private: how */
};

/**
 * nnipc_spawn() - start a worker process
 * @config: what to start
 * @child: set
 * @message: on an error, why
 * @size: of @message
 *
 * Safe in a host with threads, locks held and handlers of its own: the child runs no code but this
 * library's before exec, inherits no descriptor but 0 to 3 (and two that nnipc_sandbox_enter()
 * takes) and no signal handler or mask. It is no child of the host: its end raises no SIGCHLD and
 * cannot be taken by the host's own wait(). (It is adopted by init; only a host that is init itself
 * sees it.) Any thread may call this and end. The program finds out that it was spawned in its
 * environment, by nnipc_sandbox_enter(). Waits until it has called that, at most 5 s.
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
 * Closes the descriptors of @child. A host that dies needs none of this: its workers are killed.
 *
 * Return: exit status, or minus the signal; 127 if the program ended before it was a worker.
 */
int nnipc_child_wait(struct nnipc_child *child, int64_t grace_ns, char *how, size_t size);
/** Whether the child has ended; does not reap. */
bool nnipc_child_ended(const struct nnipc_child *child);
void nnipc_child_kill(const struct nnipc_child *child);

/**
 * nnipc_child_shut() - read what the monitor has reported
 * @child: of nnipc_spawn()
 *
 * Return: whether the worker has let go of the monitor, as it does when its sandbox is locked. A
 * hostile worker may do so earlier: nnipc_child_layers() shows it.
 */
bool nnipc_child_shut(struct nnipc_child *child);

/**
 * nnipc_child_layers() - the layers that hold a worker whose sandbox is locked
 * @child: its pid and what was known at its start count. Any thread
 * @layers: set; 0 if it cannot be looked at
 * @message: on an error, why
 * @size: of @message
 *
 * The kernel's word (/proc), and not the worker's: but for NNIPC_LAYER_LANDLOCK, of which there is
 * nothing in /proc and which is that of @child->entered, and for what the two filters of
 * NNIPC_LAYER_SECCOMP allow, which only root may read. Documentation/isolation.rst.
 *
 * Return: 0; -EPERM: the worker holds a folder, or its descriptors are hidden; -ESRCH: it has
 * ended; another errno: it cannot be looked at.
 */
int nnipc_child_layers(const struct nnipc_child *child, uint32_t *layers, char *message,
		       size_t size);

/* ---- the worker ---- */

struct nnipc_sandbox {
	enum nnipc_sandbox_mode mode;
	uint32_t namespaces; /* set: those that it has made */
	uint32_t layers; /* set: active */
	const char *library; /* the vendor library; NULL: none */
	const char *profile; /* file with additions of the vendor library; NULL: none */
	const struct nnipc_place *places; /* more that it may open; as lines of a profile */
	size_t num_places;
	/* private */
	int monitor; /* the socket to it */
	char *profile_text;
	int process; /* its folder of /proc, which keeps it the one that can be read; -1: none */
};

/**
 * nnipc_sandbox_enter() - first, with one thread
 * @sandbox: mode, library, profile and places are set
 * @message: on an error, why
 * @size: of @message
 *
 * Makes namespaces; one that the machine refuses is left out. Forks: the caller is the worker, its
 * parent the monitor, and this does not return there. From here on the worker has no capability,
 * gains no privilege, dies with the monitor, has limits of resources, opens files in some places
 * only (isolation.rst has the list) and makes none, and gets no process, no program and no socket
 * that leads outside. The environment variable LIBC_FATAL_STDERR_ is set: libc's last words go to
 * the log.
 *
 * SIGABRT ends the process with the status that means it.
 *
 * Return: 0; -EPERM: a layer is not possible that the mode wants; -EINVAL: the profile is
 * malformed.
 */
int nnipc_sandbox_enter(struct nnipc_sandbox *sandbox, char *message, size_t size);

/**
 * nnipc_sandbox_lock() - everything is open: lock the sandbox
 * @sandbox: of nnipc_sandbox_enter()
 * @message: on an error, why
 * @size: of @message
 *
 * Threads may run: the system call filter and Landlock cover all of them. (They have had no
 * capabilities since nnipc_sandbox_enter().) Nothing can be loaded, mapped executable or opened by
 * a name from here on.
 *
 * Return: 0; -EPERM: a layer is not possible that the mode wants.
 */
int nnipc_sandbox_lock(struct nnipc_sandbox *sandbox, char *message, size_t size);

#endif
