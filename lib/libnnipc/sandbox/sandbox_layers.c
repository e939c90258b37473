// SPDX-License-Identifier: Apache-2.0
/* Names of layers and modes. */
#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "nnutil_log.h"
#include "sandbox/sandbox_private.h"

static const char *const layer_names[] = {
	"user",
	"mount",
	"pid",
	"ipc",
	"uts",
	"net",
	"cgroup",
	"root",
	"limits",
	"no-new-privs",
	"no-capabilities",
	"landlock",
	"seccomp",
};
#define NUM_LAYERS (sizeof(layer_names) / sizeof(layer_names[0]))
_Static_assert(NNIPC_LAYER_ALL == (1 << NUM_LAYERS) - 1, "each layer has a name");

static const char *const mode_names[] = {
	[NNIPC_SANDBOX_OFF] = "off",
	[NNIPC_SANDBOX_LEARN] = "learn",
	[NNIPC_SANDBOX_DEFAULT] = "default",
	[NNIPC_SANDBOX_STRICT] = "strict",
};

const char *nnipc_layer_name(enum nnipc_layer layer)
{
	for (size_t i = 0; i < NUM_LAYERS; i++)
		if ((uint32_t)layer == 1u << i)
			return layer_names[i];
	return "unknown";
}

void nnipc_layers_text(uint32_t layers, char *text, size_t size)
{
	size_t used = 0;

	if (!size)
		return;
	text[0] = '\0';
	for (size_t i = 0; i < NUM_LAYERS; i++) {
		size_t length = strlen(layer_names[i]);

		if (!(layers & 1u << i) || used + length + 2 > size)
			continue;
		if (used)
			text[used++] = ' ';
		memcpy(text + used, layer_names[i], length + 1);
		used += length;
	}
	if (!used && size > strlen("none"))
		strcpy(text, "none");
}

int nnipc_sandbox_mode_parse(const char *text, enum nnipc_sandbox_mode *mode)
{
	for (size_t i = 0; i < sizeof(mode_names) / sizeof(mode_names[0]); i++) {
		if (strcmp(text, mode_names[i]))
			continue;
		*mode = (enum nnipc_sandbox_mode)i;
		return 0;
	}
	return -EINVAL;
}

const char *nnipc_sandbox_mode_name(enum nnipc_sandbox_mode mode)
{
	return (size_t)mode < sizeof(mode_names) / sizeof(mode_names[0]) ? mode_names[mode]
									 : "unknown";
}

/* Without these the rest is no sandbox. A sanitizer cannot live behind a filter. */
#define FLOOR                                                     \
	(NNIPC_LAYER_NO_NEW_PRIVS | NNIPC_LAYER_NO_CAPABILITIES | \
	 (NNIPC_SANITIZED ? 0u : (uint32_t)NNIPC_LAYER_SECCOMP))
/* Of these, which keep files away, either. */
#define FLOOR_ROOT ((uint32_t)NNIPC_LAYER_MOUNT_NS | (uint32_t)NNIPC_LAYER_EMPTY_ROOT)

static bool is_above_floor(uint32_t layers)
{
	return !(FLOOR & ~layers) && (layers & NNIPC_LAYER_LANDLOCK || !(FLOOR_ROOT & ~layers));
}

int nnipc_layers_suffice(enum nnipc_sandbox_mode mode, uint32_t layers, char *message, size_t size)
{
	char missing[128];

	if (mode < NNIPC_SANDBOX_DEFAULT || layers == NNIPC_LAYER_ALL ||
	    (mode == NNIPC_SANDBOX_DEFAULT && is_above_floor(layers)))
		return 0;
	nnipc_layers_text(NNIPC_LAYER_ALL & ~layers, missing, sizeof(missing));
	return nnutil_refuse(message, size, -EPERM, "%s sandbox: it lacks the layers %s%s",
			     nnipc_sandbox_mode_name(mode), missing,
			     mode == NNIPC_SANDBOX_DEFAULT
				     ? "; no-new-privs, no-capabilities, seccomp, and landlock or "
				       "root are the least"
				     : "");
}

uint32_t nnipc_layers_news(uint32_t layers)
{
	static _Atomic uint32_t known =
		NNIPC_SANITIZED ? NNIPC_LAYER_SECCOMP | NNIPC_LAYER_EMPTY_ROOT : 0;
	const uint32_t missing = NNIPC_LAYER_ALL & ~layers;

	return missing & ~atomic_fetch_or(&known, missing);
}
