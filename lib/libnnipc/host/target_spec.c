// SPDX-License-Identifier: Apache-2.0
/* Specifications of proxied devices. */
#include "host/nnipc_host.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nnutil_log.h"

#define SERVICE_SOCKET "/run/nnaccel/hald.sock"

static const char *const hows[] = { [NNIPC_WORKER] = "worker", [NNIPC_SERVICE] = "service" };

/* What follows "worker" or "service" in @text; NULL: it is neither. */
static const char *after_how(const char *text, enum nnipc_how *how)
{
	for (int i = 0; i < 2; i++) {
		const size_t length = strlen(hows[i]);

		if (!strncmp(text, hows[i], length) && strchr(":=", text[length])) {
			*how = (enum nnipc_how)i;
			return text + length;
		}
	}
	return NULL;
}

static int default_path(enum nnipc_how how, char *path, char *message, size_t size)
{
	const char *given =
		secure_getenv(how == NNIPC_WORKER ? "NNACCEL_WORKER_LIBRARY" : "NNACCEL_SERVICE");

	if (!given || !*given)
		given = how == NNIPC_SERVICE ? SERVICE_SOCKET : NULL;
	if (given) {
		if (strlen(given) >= PATH_MAX)
			return nnutil_refuse(message, size, -EINVAL,
					     "the path of the %s is too long",
					     how == NNIPC_WORKER ? "vendor library" : "socket");
		strcpy(path, given);
	} else if (!nnipc_place_of_vendor(path, PATH_MAX)) {
		return nnutil_refuse(message, size, -ENOENT,
				     "no vendor library beside libnnipc: install libnnhal, set "
				     "NNACCEL_WORKER_LIBRARY, or use worker=LIBRARY");
	}
	return 0;
}

/* The worker and the service have folders of their own: the path becomes absolute. */
static char *absolute(const char *path)
{
	char folder[PATH_MAX], *whole;

	if (path[0] == '/')
		return strdup(path);
	if (!getcwd(folder, sizeof(folder)) || asprintf(&whole, "%s/%s", folder, path) < 0)
		return NULL;
	return whole;
}

int nnipc_target_parse(const char *text, struct nnipc_target *t, char *message, size_t size)
{
	enum nnipc_how how = NNIPC_WORKER, inner;
	char path[PATH_MAX];
	const char *at, *end;
	int ret = 0;

	*t = (struct nnipc_target){ 0 };
	at = after_how(text, &how);
	if (!at)
		return nnutil_refuse(message, size, -EINVAL,
				     "no target \"%s\": use worker[=LIBRARY][:DEVICE] or "
				     "service[=SOCKET][:DEVICE]",
				     text);
	end = strchrnul(at, ':');
	if (*at != '=') {
		ret = default_path(how, path, message, size);
		if (ret)
			return ret;
	} else {
		at++;
		/* a name without a folder would be looked for in the loader's folders */
		if (end - at >= PATH_MAX || !memchr(at, '/', (size_t)(end - at)))
			return nnutil_refuse(message, size, -EINVAL,
					     "\"%s\": the path of the %s must have a folder", text,
					     how == NNIPC_WORKER ? "library" : "socket");
		snprintf(path, sizeof(path), "%.*s", (int)(end - at), at);
	}
	if (*end && !end[1])
		return nnutil_refuse(message, size, -EINVAL, "\"%s\": no device after the colon",
				     text);
	if (*end && after_how(end + 1, &inner))
		return nnutil_refuse(message, size, -EINVAL,
				     "\"%s\": a device behind a process has none of its own", text);
	t->how = how;
	t->path = absolute(path);
	t->spec = *end ? strdup(end + 1) : NULL;
	if (!t->path || (*end && !t->spec)) {
		nnipc_target_free(t);
		return nnutil_refuse(message, size, -ENOMEM, "out of memory");
	}
	return 0;
}

int nnipc_target_copy(struct nnipc_target *to, const struct nnipc_target *from)
{
	*to = (struct nnipc_target){ .how = from->how, .path = strdup(from->path) };
	if (from->spec)
		to->spec = strdup(from->spec);
	if (to->path && (to->spec || !from->spec))
		return 0;
	nnipc_target_free(to);
	return -ENOMEM;
}

void nnipc_target_free(struct nnipc_target *t)
{
	free(t->path);
	free(t->spec);
	*t = (struct nnipc_target){ 0 };
}

bool nnipc_target_equal(const struct nnipc_target *a, const struct nnipc_target *b)
{
	if (a->how != b->how || strcmp(a->path, b->path))
		return false;
	return a->spec && b->spec ? !strcmp(a->spec, b->spec) : a->spec == b->spec;
}
