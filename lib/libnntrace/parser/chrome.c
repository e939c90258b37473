// SPDX-License-Identifier: Apache-2.0
#include "chrome.h"

#include "nntrace_parse.h"

void chrome_begin(struct chrome *c, char ph, int32_t pid, int32_t tid, int64_t ns)
{
	fprintf(c->out, "%s{\"ph\":\"%c\",\"pid\":%d,\"tid\":%d,\"ts\":%lld.%03lld",
		c->events++ ? ",\n" : "", ph, pid, tid, (long long)(ns / 1000),
		(long long)(ns % 1000));
}

void chrome_end(struct chrome *c)
{
	fputc('}', c->out);
}

void chrome_name(struct chrome *c, int32_t pid, int32_t tid, const char *name, size_t len)
{
	fprintf(c->out, "%s{\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"name\":\"%s\",\"args\":{\"name\":",
		c->events++ ? ",\n" : "", pid, tid < 0 ? pid : tid,
		tid < 0 ? "process_name" : "thread_name");
	nntp_print_json_string(c->out, name, len);
	fputs("}}", c->out);
}
