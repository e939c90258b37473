/* SPDX-License-Identifier: GPL-2.0-only */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM nnaccel

#if !defined(_NNACCEL_TRACE_H_) || defined(TRACE_HEADER_MULTI_READ)
#define _NNACCEL_TRACE_H_

#include <linux/timekeeping.h>
#include <linux/tracepoint.h>

#include <drm/drm_file.h>

#include "nnaccel_device.h"
#include "nnaccel_job.h"
#include "nnaccel_queue.h"

/*
 * Host times are CLOCK_BOOTTIME, the clock of traces across processes and guests (trace_clock
 * "boot"). Card times are of the card's own clock; nnaccel_clock events map them. A job is
 * identified by device, client, queue and seqno: @device is N of /dev/accel/accelN, or of
 * /dev/dri/renderDN.
 */

DECLARE_EVENT_CLASS(nnaccel_job,
		    TP_PROTO(struct nnaccel_sched_job *job),
		    TP_ARGS(job),
		    TP_STRUCT__entry(__field(u64, client)
				     __field(u32, device)
				     __field(u32, queue)
				     __field(u32, hw_queue)
				     __field(u64, seqno)
				     __field(u32, num_args)
				     __field(u32, generation)
		    ),
		    TP_fast_assign(__entry->client = job->queue->client_id;
				   __entry->device = nnaccel_minor(job->queue->ndev)->index;
				   __entry->queue = job->queue->id;
				   __entry->hw_queue = job->queue->hw_id;
				   __entry->seqno = job->seqno;
				   __entry->num_args = job->num_args;
				   __entry->generation = job->generation;
		    ),
		    TP_printk("device=%u client=%llu queue=%u hw_queue=%u seqno=%llu args=%u generation=%u",
			      __entry->device, __entry->client, __entry->queue, __entry->hw_queue,
			      __entry->seqno, __entry->num_args, __entry->generation)
);

/* Accepted by SUBMIT. */
DEFINE_EVENT(nnaccel_job, nnaccel_job_queued,
	     TP_PROTO(struct nnaccel_sched_job *job), TP_ARGS(job));
/* All in-fences have signalled. */
DEFINE_EVENT(nnaccel_job, nnaccel_job_scheduled,
	     TP_PROTO(struct nnaccel_sched_job *job), TP_ARGS(job));
/* Put into the ring of its queue. */
DEFINE_EVENT(nnaccel_job, nnaccel_job_started,
	     TP_PROTO(struct nnaccel_sched_job *job), TP_ARGS(job));
/* An abort was sent. */
DEFINE_EVENT(nnaccel_job, nnaccel_job_abort,
	     TP_PROTO(struct nnaccel_sched_job *job), TP_ARGS(job));

/* The fence is about to signal. */
TRACE_EVENT(nnaccel_job_done,
	    TP_PROTO(struct nnaccel_sched_job *job, u32 status, int error,
		     const struct nnaccel_completion *completion),
	    TP_ARGS(job, status, error, completion),
	    TP_STRUCT__entry(__field(u32, device)
			     __field(u32, queue)
			     __field(u64, client)
			     __field(u64, seqno)
			     __field(u32, status)
			     __field(int, error)
			     __field(u64, device_start)
			     __field(u64, device_end)
			     __field(u32, generation)
	    ),
	    TP_fast_assign(__entry->device = nnaccel_minor(job->queue->ndev)->index;
			   __entry->queue = job->queue->id;
			   __entry->client = job->queue->client_id;
			   __entry->seqno = job->seqno;
			   __entry->status = status;
			   __entry->error = error;
			   /* 0: it never ran, or the card did not say */
			   __entry->device_start = completion ?
						   le64_to_cpu(completion->start_ns) : 0;
			   __entry->device_end = completion ? le64_to_cpu(completion->end_ns) : 0;
			   __entry->generation = job->generation;
	    ),
	    TP_printk("device=%u client=%llu queue=%u seqno=%llu status=%#x error=%d device_start=%llu device_end=%llu generation=%u",
		      __entry->device, __entry->client, __entry->queue, __entry->seqno,
		      __entry->status, __entry->error, __entry->device_start,
		      __entry->device_end, __entry->generation)
);

/* A reading of the card's clock: it was @clock at some time between @before and @after. */
TRACE_EVENT(nnaccel_clock,
	    TP_PROTO(struct nnaccel_device *ndev, const struct drm_nnaccel_clock *clock),
	    TP_ARGS(ndev, clock),
	    TP_STRUCT__entry(__field(u32, minor)
			     __field(u32, generation)
			     __field(u64, before)
			     __field(u64, device)
			     __field(u64, after)
	    ),
	    TP_fast_assign(ktime_t boot = ktime_mono_to_any(0, TK_OFFS_BOOT);

			   __entry->minor = nnaccel_minor(ndev)->index;
			   __entry->generation = clock->generation;
			   __entry->before = clock->before_ns + ktime_to_ns(boot);
			   __entry->device = clock->device_ns;
			   __entry->after = clock->after_ns + ktime_to_ns(boot);
	    ),
	    TP_printk("device=%u generation=%u before=%llu clock=%llu after=%llu",
		      __entry->minor, __entry->generation, __entry->before, __entry->device,
		      __entry->after)
);

/* The reset line was pulled. */
TRACE_EVENT(nnaccel_reset,
	    TP_PROTO(struct nnaccel_device *ndev, u32 req, bool acked),
	    TP_ARGS(ndev, req, acked),
	    TP_STRUCT__entry(__field(u32, device)
			     __field(u32, generation)
			     __field(u32, req)
			     __field(bool, acked)
	    ),
	    TP_fast_assign(__entry->device = nnaccel_minor(ndev)->index;
			   __entry->generation = ndev->generation;
			   __entry->req = req;
			   __entry->acked = acked;
	    ),
	    TP_printk("device=%u generation=%u req=%u acked=%d", __entry->device,
		      __entry->generation, __entry->req, __entry->acked)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE nnaccel_trace
#include <trace/define_trace.h>
