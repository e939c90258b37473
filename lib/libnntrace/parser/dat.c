// SPDX-License-Identifier: Apache-2.0
/*
 * libtracecmd and libtraceevent trust the contents of the file. They read it in a child process, so
 * that a malformed file that crashes them is an ordinary error.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <trace-cmd.h>

#include "nntp.h"

static const char header[] = "#           TASK-PID   CPU#  ||||    TIMESTAMP  FUNCTION\n";

/*
 * The text that was written to trace_marker: the field alone, because not every file has the name
 * of the function in front of it.
 */
static bool write_mark(FILE *out, struct tep_event *event, struct tep_record *record)
{
	const struct tep_format_field *field = tep_find_field(event, "buf");
	const char *text;
	size_t max;

	if (!field || field->offset < 0 || record->size < 0 || field->offset >= record->size)
		return false;
	text = (const char *)record->data + field->offset;
	max = strnlen(text, (size_t)(record->size - field->offset));
	while (max && text[max - 1] == '\n')
		max--;
	fputs("tracing_mark_write: ", out);
	for (size_t i = 0; i < max; i++)
		fputc(text[i] == '\n' ? ' ' : text[i], out);
	fputc('\n', out);
	return true;
}

/* Marks and events of the driver; the parser uses nothing else. */
static int write_record(struct tracecmd_input *handle, struct tep_record *record, int cpu,
			void *ctx)
{
	struct tep_handle *tep = tracecmd_get_tep(handle);
	struct tep_event *event = tep_find_event_by_record(tep, record);
	bool is_mark = event && !strcmp(event->name, "print");
	struct trace_seq s;
	FILE *out = ctx;
	int pid;

	if (!event || (!is_mark && strncmp(event->name, "nnaccel_", 8)))
		return 0;
	pid = tep_data_pid(tep, record);
	fprintf(out, "%16s-%-7d [%03d] .... %llu.%09llu: ", tep_data_comm_from_pid(tep, pid), pid,
		cpu, record->ts / 1000000000, record->ts % 1000000000);
	if (is_mark) {
		if (!write_mark(out, event, record))
			fputs("print:\n", out);
		return ferror(out) ? -EIO : 0;
	}
	trace_seq_init(&s);
	tep_print_event(tep, &s, record, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(&s);
	while (s.len && s.buffer[s.len - 1] == '\n')
		s.buffer[--s.len] = '\0';
	fprintf(out, "%s: %s\n", event->name, s.buffer);
	trace_seq_destroy(&s);
	return ferror(out) ? -EIO : 0;
}

static int convert(const char *path, FILE *out)
{
	struct tracecmd_input *handle = tracecmd_open(path, 0);
	int ret;

	if (!handle)
		return -EINVAL;
	fputs(header, out);
	ret = tracecmd_iterate_events(handle, NULL, 0, write_record, out);
	if (!ret && fflush(out))
		ret = -EIO;
	tracecmd_close(handle);
	return ret;
}

int dat_to_text(const char *path, FILE *out, char *message, size_t size)
{
	int status;
	pid_t pid, got;

	fflush(out);
	pid = fork();
	if (!pid)
		_exit(convert(path, out) ? 1 : 0);
	if (pid < 0) {
		snprintf(message, size, "%s: %s", path, strerror(errno));
		return -errno;
	}
	do
		got = waitpid(pid, &status, 0);
	while (got < 0 && errno == EINTR);
	if (got == pid && WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	snprintf(message, size, "%s: libtracecmd cannot read it", path);
	return -EINVAL;
}
