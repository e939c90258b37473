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
	probe ACCEL_NODES "$@" << 'END'
#if !IS_ENABLED(CONFIG_DRM_ACCEL)
#error
#endif
END
	probe SCHED_INIT_ARGS "$@" << 'END'
#include <drm/gpu_scheduler.h>
int p(struct drm_gpu_scheduler *s, struct drm_sched_init_args *a);
int p(struct drm_gpu_scheduler *s, struct drm_sched_init_args *a) { return drm_sched_init(s, a); }
END
	probe SCHED_JOB_CLIENT "$@" << 'END'
#include <drm/gpu_scheduler.h>
int p(struct drm_sched_job *j, struct drm_sched_entity *e);
int p(struct drm_sched_job *j, struct drm_sched_entity *e) { return drm_sched_job_init(j, e, 1, 0, 0); }
END
	probe HRTIMER_SETUP "$@" << 'END'
#include <linux/hrtimer.h>
void p(struct hrtimer *t, enum hrtimer_restart (*f)(struct hrtimer *));
void p(struct hrtimer *t, enum hrtimer_restart (*f)(struct hrtimer *))
{
	hrtimer_setup(t, f, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
}
END
	probe LRU_WALK_UNLOCKED "$@" << 'END'
#include <linux/list_lru.h>
enum lru_status p(struct list_head *i, struct list_lru_one *l, void *a);
enum lru_status p(struct list_head *i, struct list_lru_one *l, void *a) { return LRU_SKIP; }
static list_lru_walk_cb q = p;
list_lru_walk_cb r(void);
list_lru_walk_cb r(void) { return q; }
END
	probe SHMEM_PAGES_REFCOUNT "$@" << 'END'
#include <drm/drm_gem_shmem_helper.h>
int p(struct drm_gem_shmem_object *s);
int p(struct drm_gem_shmem_object *s) { return refcount_read(&s->pages_use_count); }
END
	probe GEM_IS_IMPORTED "$@" << 'END'
#include <drm/drm_gem.h>
int p(struct drm_gem_object *o);
int p(struct drm_gem_object *o) { return drm_gem_is_imported(o); }
END
	probe ALLOC_OBJS "$@" << 'END'
#include <linux/slab.h>
int *p(void);
int *p(void) { return kvzalloc_objs(int, 3, GFP_KERNEL); }
END
	probe SHMEM_VMA_FLAGS "$@" << 'END'
#include <linux/mm.h>
#include <linux/shmem_fs.h>
struct file *p(struct vfsmount *m);
struct file *p(struct vfsmount *m) { return shmem_file_setup_with_mnt(m, "p", 1, mk_vma_flags(VMA_NORESERVE_BIT)); }
END
} > "$tmp/config.h"

# Same answers, same file: nothing is rebuilt in vain.
cmp -s "$tmp/config.h" "$output" || cp "$tmp/config.h" "$output"
