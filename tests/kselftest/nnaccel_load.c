// SPDX-License-Identifier: Apache-2.0
/* The driver's limits, other users, unbind and rebind. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nnaccel_load.h"

#define PARAMETERS	"/sys/module/nnaccel/parameters"
/* Original values of changed parameters: lines "name value". The file outlives a test that dies. */
#define CHANGED		"/run/nnaccel-parameters"

int nn_write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		ret = -errno;
	close(fd);
	return ret;
}

int nn_read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret = 0;
	size_t done = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	/* The last byte is for the end of the text: a file that reaches it does not fit. */
	while (done < size && (n = read(fd, text + done, size - done)) != 0) {
		if (n < 0) {
			ret = -errno;
			break;
		}
		done += n;
	}
	close(fd);
	if (!ret && done == size)
		ret = -EFBIG;
	if (ret)
		return ret;
	text[done] = '\0';
	return done;
}

int nn_debugfs_read(int fd, const char *file, char *text, size_t size)
{
	char path[160], address[64];
	int ret = nn_dev_address(fd, address, sizeof(address));

	if (ret)
		return ret;
	snprintf(path, sizeof(path), "/sys/kernel/debug/accel/%s/%s", address, file);
	ret = nn_read_file(path, text, size);
	if (ret != -ENOENT)
		return ret;
	/* render nodes */
	snprintf(path, sizeof(path), "/sys/kernel/debug/dri/%s/%s", address, file);
	return nn_read_file(path, text, size);
}

int nn_param_get(const char *name, unsigned int *value)
{
	char path[128], text[32];
	int ret;

	snprintf(path, sizeof(path), PARAMETERS "/%s", name);
	ret = nn_read_file(path, text, sizeof(text));
	if (ret <= 0)
		return ret ? ret : -EIO;
	*value = strtoul(text, NULL, 10);
	return 0;
}

static int param_write(const char *name, unsigned int value)
{
	char path[128], text[32];

	snprintf(path, sizeof(path), PARAMETERS "/%s", name);
	snprintf(text, sizeof(text), "%u", value);
	return nn_write_file(path, text);
}

static bool is_changed(const char *name)
{
	FILE *f = fopen(CHANGED, "r");
	bool found = false;
	char other[64];

	if (!f)
		return false;
	while (!found && fscanf(f, "%63s %*u", other) == 1)
		found = strcmp(other, name) == 0;
	fclose(f);
	return found;
}

/*
 * CHANGED has the values of before, and is read and written by every process of a test: without a lock one
 * would take the other's change for such a value. Returns a descriptor to close, or a negative errno.
 */
static int params_lock(void)
{
	int fd = open(CHANGED ".lock", O_CREAT | O_RDWR | O_CLOEXEC, 0600);

	if (fd < 0)
		return -errno;
	while (flock(fd, LOCK_EX) && errno == EINTR)
		;
	return fd;
}

static int param_set_locked(const char *name, unsigned int value)
{
	unsigned int old;
	FILE *f;
	int ret;

	ret = nn_param_get(name, &old);
	if (ret)
		return ret;
	if (!is_changed(name)) {
		f = fopen(CHANGED, "a");
		if (!f)
			return -errno;
		fprintf(f, "%s %u\n", name, old);
		fclose(f);
	}
	return param_write(name, value);
}

int nn_param_set(const char *name, unsigned int value)
{
	int lock = params_lock(), ret;

	if (lock < 0)
		return lock;
	ret = param_set_locked(name, value);
	close(lock);
	return ret;
}

static void params_restore_locked(void)
{
	FILE *f = fopen(CHANGED, "r");
	unsigned int value;
	char name[64];

	if (!f)
		return;
	while (fscanf(f, "%63s %u", name, &value) == 2)
		param_write(name, value);
	fclose(f);
	unlink(CHANGED);
}

void nn_params_restore(void)
{
	int lock = params_lock();

	params_restore_locked();
	if (lock >= 0)
		close(lock);
}

void nn_params_heal(void)
{
	static const char *const names[] = { "no_progress_ms", "abort_ms", "admin_ms", "heartbeat_ms", "reset_ms", "link_ms", "start_ms" };
	int lock = params_lock();
	unsigned int value;

	params_restore_locked();
	for (size_t i = 0; i < NN_COUNT(names) && nn_slow() > 1; i++)
		if (!nn_param_get(names[i], &value))
			param_set_locked(names[i], value * nn_slow());
	if (lock >= 0)
		close(lock);
}

int nn_usage(int fd, struct drm_nnaccel_usage *usage)
{
	struct drm_nnaccel_dev_query args = {
		.type = DRM_NNACCEL_QUERY_USAGE,
		.size = sizeof(*usage),
		.pointer = (uintptr_t)usage,
	};

	return nn_ioctl(fd, DRM_IOCTL_NNACCEL_DEV_QUERY, &args);
}

int nn_usage_empty(int fd)
{
	int64_t end = nn_now() + NN_WAIT_S * NN_NS_PER_S;
	struct drm_nnaccel_usage usage;
	int ret;

	while (!(ret = nn_usage(fd, &usage))) {
		if (!usage.bos && !usage.handles && !usage.queues && !usage.jobs && !usage.job_bytes)
			return 0;
		if (nn_now() > end)
			return -EBUSY;
		nn_sleep_ms(10);
	}
	return ret;
}

int nn_engine_ns(int fd, int64_t *ns)
{
	char path[64], line[256];
	int ret = -ENOENT;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "r");
	if (!f)
		return -errno;
	while (ret && fgets(line, sizeof(line), f))
		if (sscanf(line, "drm-engine-nn: %" SCNd64, ns) == 1)
			ret = 0;
	fclose(f);
	return ret;
}

int nn_health(const struct nn_queue *queue)
{
	struct drm_nnaccel_queue_state state;
	int ret = nn_queue_state(queue, &state);

	return ret ? ret : (int)state.health;
}

uint32_t nn_status(const struct nn_queue *queue, uint64_t seqno)
{
	struct drm_nnaccel_status_entry e;

	return nn_queue_status(queue, seqno, &e) ? UINT32_MAX : e.status;
}

int nn_wait_begun(const struct nn_queue *queue, const struct drm_nnaccel_counters *before)
{
	int64_t end = nn_now() + NN_WAIT_S * NN_NS_PER_S;
	struct drm_nnaccel_counters after;
	int ret;

	while (!(ret = nn_counters(queue->fd, &after))) {
		if (after.doorbells > before->doorbells) {
			/* The card needs a moment to begin the job, which no client can observe. */
			nn_sleep_ms(20 * nn_slow());
			return 0;
		}
		if (nn_now() > end)
			return -ETIMEDOUT;
		nn_sleep_ms(1);
	}
	return ret;
}

int nn_open_as(uint32_t uid)
{
	int fd = nn_open(), ret;
	char path[64];

	/* By descriptor: the same node, also if there are several. */
	if (fd < 0)
		return fd;
	if (fchmod(fd, 0666)) {
		ret = -errno;
		close(fd);
		return ret;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	/* The system call changes this thread only; the library's function would change all. */
	if (syscall(SYS_setresuid, -1, uid, -1)) {
		ret = -errno;
		close(fd);
		return ret;
	}
	ret = open(path, O_RDWR | O_CLOEXEC);
	if (ret < 0)
		ret = -errno;
	if (syscall(SYS_setresuid, -1, 0, -1) && ret >= 0) {
		close(ret);
		ret = -EPERM;
	}
	close(fd);
	return ret;
}

int nn_rig_open_as(struct nn_rig *rig, uint32_t uid)
{
	int fd = nn_open_as(uid);

	memset(rig, 0, sizeof(*rig));
	return fd < 0 ? fd : nn_rig_setup(rig, fd);
}

pid_t nn_child(int (*run)(void *arg), void *arg)
{
	pid_t pid = fork();

	if (pid == 0) {
		/* The harness' alarm is for the parent. */
		int ret = run(arg);

		_exit(ret < 0 ? 99 : ret);
	}
	return pid;
}

int nn_child_end(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int nn_socketpair(int sockets[2])
{
	return socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, sockets) ? -errno : 0;
}

int nn_send_fd(int socket, int fd)
{
	char control[CMSG_SPACE(sizeof(int))] = { 0 }, byte = 0;
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	return sendmsg(socket, &msg, 0) < 0 ? -errno : 0;
}

int nn_recv_fd(int socket)
{
	char control[CMSG_SPACE(sizeof(int))], byte;
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct pollfd p = { .fd = socket, .events = POLLIN };
	struct cmsghdr *cmsg;
	int fd;

	if (poll(&p, 1, NN_WAIT_S * 1000) != 1)
		return -ETIMEDOUT;
	if (recvmsg(socket, &msg, MSG_CMSG_CLOEXEC) < 0)
		return -errno;
	cmsg = CMSG_FIRSTHDR(&msg);
	if (!cmsg || cmsg->cmsg_type != SCM_RIGHTS)
		return -EBADMSG;
	memcpy(&fd, CMSG_DATA(cmsg), sizeof(fd));
	return fd;
}

int nn_dev_path(const char *address, const char *file, char *path, size_t size)
{
	const char *bus = nn_is_pci(address) ? "pci" : "platform";
	int n = snprintf(path, size, "/sys/bus/%s/devices/%s/%s", bus, address, file);

	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

static int write_driver(const char *file, const char *address)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/bus/%s/drivers/nnaccel/%s",
		 nn_is_pci(address) ? "pci" : "platform", file);
	return nn_write_file(path, address);
}

int nn_unbind(const char *address)
{
	return write_driver("unbind", address);
}

int nn_bind(const char *address)
{
	return write_driver("bind", address);
}

int nn_pci_remove(const char *address)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/remove", address);
	return nn_write_file(path, "1");
}

int nn_rescan(void)
{
	return nn_write_file("/sys/bus/pci/rescan", "1");
}

int nn_modprobe(const char *options)
{
	char command[64];
	int status;

	snprintf(command, sizeof(command), "modprobe %s nnaccel", options);
	status = system(command);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int nn_module_unload(void)
{
	int64_t end = nn_now() + NN_WAIT_S * NN_NS_PER_S;
	int ret;

	while ((ret = nn_modprobe("-q -r")) && nn_now() < end)
		nn_sleep_ms(100);
	return ret;
}

int nn_works_again(void)
{
	int64_t end = nn_now() + NN_WAIT_S * NN_NS_PER_S;
	struct nn_rig rig;
	int ret;

	do {
		ret = nn_rig_open(&rig);
		if (ret != -ENODEV)
			break;
		nn_sleep_ms(50);
	} while (nn_now() < end);
	if (ret)
		return ret;
	ret = nn_rig_run(&rig);
	if (!ret && !nn_rig_right(&rig))
		ret = -EBADMSG;
	nn_rig_close(&rig);
	return ret;
}
