#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Find out what this kernel offers by compiling: nnaccel_probe.sh OUTPUT COMPILER FLAGS...
# Writes OUTPUT, which nnaccel_compat.h includes. Called by Kbuild.
set -eu

output=$1
shift
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# compiles COMPILER FLAGS...: whether the C text on standard input does.
compiles()
{
	cat > "$tmp/probe.c"
	"$@" -fsyntax-only "$tmp/probe.c" > "$tmp/log" 2>&1
}

# probe NAME COMPILER FLAGS...
probe()
{
	name=$1
	shift
	if compiles "$@"; then
		echo "#define NNACCEL_HAVE_$name 1"
	else
		echo "/* no $name */"
	fi
}

# The canary: if this fails, every probe would, and the answers would be worth nothing.
if ! compiles "$@" << 'END'
#include <drm/gpu_scheduler.h>
#include <drm/drm_gem.h>
int canary(struct drm_gpu_scheduler *sched);
int canary(struct drm_gpu_scheduler *sched) { return sched->ready; }
END
then
	echo "nnaccel: this kernel's DRM headers do not compile:" >&2
	cat "$tmp/log" >&2
	exit 1
fi

{
	echo "/* Made by nnaccel_probe.sh for one kernel. */"
	probe SCHED_INIT_ARGS "$@" << 'END'
#include <drm/gpu_scheduler.h>
int p(struct drm_gpu_scheduler *s, struct drm_sched_init_args *a);
int p(struct drm_gpu_scheduler *s, struct drm_sched_init_args *a) { return drm_sched_init(s, a); }
END
	probe SCHED_NUM_RQS "$@" << 'END'
#include <drm/gpu_scheduler.h>
void p(struct drm_sched_init_args *a);
void p(struct drm_sched_init_args *a) { a->num_rqs = 1; }
END
	probe SCHED_JOB_CLIENT "$@" << 'END'
#include <drm/gpu_scheduler.h>
int p(struct drm_sched_job *j, struct drm_sched_entity *e);
int p(struct drm_sched_job *j, struct drm_sched_entity *e) { return drm_sched_job_init(j, e, 1, 0, 0); }
END
	probe VFS_KERN_MOUNT "$@" << 'END'
#include <linux/fs.h>
#include <linux/mount.h>
struct vfsmount *p(struct file_system_type *t, char *o);
struct vfsmount *p(struct file_system_type *t, char *o) { return vfs_kern_mount(t, SB_KERNMOUNT, "p", o); }
END
	probe HRTIMER_SETUP "$@" << 'END'
#include <linux/hrtimer.h>
void p(struct hrtimer *t, enum hrtimer_restart (*f)(struct hrtimer *));
void p(struct hrtimer *t, enum hrtimer_restart (*f)(struct hrtimer *))
{
	hrtimer_setup(t, f, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
}
END
	probe IMPORT_NS_TOKEN "$@" << 'END'
#include <linux/module.h>
MODULE_IMPORT_NS(DMA_BUF);
END
	probe GEM_IS_IMPORTED "$@" << 'END'
#include <drm/drm_gem.h>
int p(struct drm_gem_object *o);
int p(struct drm_gem_object *o) { return drm_gem_is_imported(o); }
END
} > "$tmp/config.h"

# Same answers, same file: nothing is rebuilt in vain.
cmp -s "$tmp/config.h" "$output" || cp "$tmp/config.h" "$output"
