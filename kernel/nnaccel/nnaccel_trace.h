/* SPDX-License-Identifier: GPL-2.0-only */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM nnaccel

#if !defined(_NNACCEL_TRACE_H_) || defined(TRACE_HEADER_MULTI_READ)
#define _NNACCEL_TRACE_H_

#include <linux/tracepoint.h>

#include "nnaccel_device.h"
#include "nnaccel_job.h"
#include "nnaccel_queue.h"

DECLARE_EVENT_CLASS(nnaccel_job,
		    TP_PROTO(struct nnaccel_sched_job *job),
		    TP_ARGS(job),
		    TP_STRUCT__entry(__field(u64, client)
				     __field(u32, queue)
				     __field(u32, hw_queue)
				     __field(u64, seqno)
				     __field(u32, num_args)
				     __field(u32, generation)
		    ),
		    TP_fast_assign(__entry->client = job->queue->client_id;
				   __entry->queue = job->queue->id;
				   __entry->hw_queue = job->queue->hw_id;
				   __entry->seqno = job->seqno;
				   __entry->num_args = job->num_args;
				   __entry->generation = job->generation;
		    ),
		    TP_printk("client=%llu queue=%u hw_queue=%u seqno=%llu args=%u generation=%u",
			      __entry->client, __entry->queue, __entry->hw_queue,
			      __entry->seqno, __entry->num_args, __entry->generation)
);

/* Accepted by SUBMIT. */
DEFINE_EVENT(nnaccel_job, nnaccel_job_queued,
	     TP_PROTO(struct nnaccel_sched_job *job), TP_ARGS(job));
/* All fences that it waited for have signalled. */
DEFINE_EVENT(nnaccel_job, nnaccel_job_scheduled,
	     TP_PROTO(struct nnaccel_sched_job *job), TP_ARGS(job));
/* In the ring of the card. */
DEFINE_EVENT(nnaccel_job, nnaccel_job_started,
	     TP_PROTO(struct nnaccel_sched_job *job), TP_ARGS(job));
/* An abort was sent. */
DEFINE_EVENT(nnaccel_job, nnaccel_job_abort,
	     TP_PROTO(struct nnaccel_sched_job *job), TP_ARGS(job));

/* Its fence is about to signal. */
TRACE_EVENT(nnaccel_job_done,
	    TP_PROTO(struct nnaccel_sched_job *job, u32 status, int error),
	    TP_ARGS(job, status, error),
	    TP_STRUCT__entry(__field(u64, client)
			     __field(u32, queue)
			     __field(u32, status)
			     __field(u64, seqno)
			     __field(int, error)
	    ),
	    TP_fast_assign(__entry->client = job->queue->client_id;
			   __entry->queue = job->queue->id;
			   __entry->seqno = job->seqno;
			   __entry->status = status;
			   __entry->error = error;
	    ),
	    TP_printk("client=%llu queue=%u seqno=%llu status=%#x error=%d",
		      __entry->client, __entry->queue, __entry->seqno, __entry->status,
		      __entry->error)
);

/* The reset line was pulled. */
TRACE_EVENT(nnaccel_reset,
	    TP_PROTO(struct nnaccel_device *ndev, u32 req, bool acked),
	    TP_ARGS(ndev, req, acked),
	    TP_STRUCT__entry(__field(u32, generation)
			     __field(u32, req)
			     __field(bool, acked)
	    ),
	    TP_fast_assign(__entry->generation = ndev->generation;
			   __entry->req = req;
			   __entry->acked = acked;
	    ),
	    TP_printk("generation=%u req=%u acked=%d", __entry->generation, __entry->req,
		      __entry->acked)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE nnaccel_trace
#include <trace/define_trace.h>
