/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * Device contract, part 1: the register page.
 *
 * Registers are plain shared memory (BAR2 on PCI). No register has a side effect: an action is a store,
 * then a doorbell, then a poll or an interrupt. There is no write-1-to-clear, no read-to-clear and no
 * atomic read-modify-write on device memory. All values are little-endian. Every 64-byte line has one
 * writer: the slot (the part that outlives the card), the host or the firmware.
 *
 * Versioning: the contract version is major << 16 | minor. A different major is refused at probe; a
 * firmware with a higher minor serves a host with a lower one, which ignores unknown fields.
 * History: 1.0 first version; 1.1 time on the engine per queue, number of engines,
 * %NNACCEL_CAP_QUEUE_TIME, %NNACCEL_CAP_PREEMPT.
 */
#ifndef _UAPI_NNACCEL_REGS_H_
#define _UAPI_NNACCEL_REGS_H_

#include <linux/types.h>

#if defined(__cplusplus)
extern "C" {
#endif

#ifdef __KERNEL__
#include <linux/build_bug.h>
#define NNACCEL_CHECK_SIZE(type, size) static_assert(sizeof(type) == (size))
#elif defined(__cplusplus)
#define NNACCEL_CHECK_SIZE(type, size) static_assert(sizeof(type) == (size), #type)
#else
#define NNACCEL_CHECK_SIZE(type, size) _Static_assert(sizeof(type) == (size), #type)
#endif

/** NNACCEL_MAGIC - 'NNAC', the value of the first register of a device of this contract */
#define NNACCEL_MAGIC			0x43414e4eu

#define NNACCEL_CONTRACT_MAJOR		1u
#define NNACCEL_CONTRACT_MINOR		3u
#define NNACCEL_CONTRACT_VERSION	(NNACCEL_CONTRACT_MAJOR << 16 | NNACCEL_CONTRACT_MINOR)

/** NNACCEL_MAX_CONTEXTS - number of address spaces; context ids are below it */
#define NNACCEL_MAX_CONTEXTS		256u
/** NNACCEL_MAX_QUEUES - number of queues over all contexts; queue ids are below it */
#define NNACCEL_MAX_QUEUES		256u

/** NNACCEL_REGS_SIZE - bytes of struct nnaccel_regs, the least size of BAR2 */
#define NNACCEL_REGS_SIZE		0x4000u

/**
 * enum nnaccel_doorbell - vectors that the host rings
 */
enum nnaccel_doorbell {
	/** @NNACCEL_DOORBELL_SUBMIT: some queue ring has a new tail */
	NNACCEL_DOORBELL_SUBMIT = 0,
	/** @NNACCEL_DOORBELL_ADMIN: the admin ring has a new tail, or host_state changed */
	NNACCEL_DOORBELL_ADMIN = 1,
	/** @NNACCEL_DOORBELL_CQ: the completion ring's head moved while cq_stalled was set */
	NNACCEL_DOORBELL_CQ = 2,
	/**
	 * @NNACCEL_DOORBELL_RESET: the reset line: reset_req has a new value. The slot, which outlives the
	 * firmware, answers it: it stops the card, stores reset_ack, then starts the card again.
	 */
	NNACCEL_DOORBELL_RESET = 3,
	/* private: */
	NNACCEL_NUM_DOORBELLS,
};

/**
 * enum nnaccel_irq - vectors that the device raises. They coalesce: a handler drains all causes.
 */
enum nnaccel_irq {
	/** @NNACCEL_IRQ_COMPLETION: the completion ring has a new tail */
	NNACCEL_IRQ_COMPLETION = 0,
	/** @NNACCEL_IRQ_EVENT: link, generation, fw_state or reset_ack changed */
	NNACCEL_IRQ_EVENT = 1,
	/* private: */
	NNACCEL_NUM_IRQS = 4,
};

/**
 * enum nnaccel_link - whether a card is behind the registers
 */
enum nnaccel_link {
	/** @NNACCEL_LINK_ABSENT: no card; host memory is not accessed */
	NNACCEL_LINK_ABSENT = 0,
	/** @NNACCEL_LINK_PRESENT: a card is present, perhaps still booting */
	NNACCEL_LINK_PRESENT = 1,
};

/**
 * enum nnaccel_fw_state - state of one generation of the firmware; moves down this list only
 *
 * When a card has died the slot stores %NNACCEL_FW_BOOT for it, after link. A host that reads another state,
 * then generation, then the same state again knows that both are of one card.
 */
enum nnaccel_fw_state {
	/** @NNACCEL_FW_BOOT: registers of the firmware are not valid yet */
	NNACCEL_FW_BOOT = 0,
	/** @NNACCEL_FW_READY: identification is valid; waits for %NNACCEL_HOST_RINGS */
	NNACCEL_FW_READY = 1,
	/** @NNACCEL_FW_RUNNING: rings are taken, commands are served */
	NNACCEL_FW_RUNNING = 2,
	/** @NNACCEL_FW_FAILED: stopped (fw_error tells why); only the reset line leads out */
	NNACCEL_FW_FAILED = 3,
};

/**
 * enum nnaccel_host_state - state of the host for the generation in host_generation
 */
enum nnaccel_host_state {
	/**
	 * @NNACCEL_HOST_NONE: nothing is set up. If stored and rung for while RUNNING, the firmware stops,
	 * accesses no host memory any more and enters %NNACCEL_FW_FAILED with %NNACCEL_FW_ERROR_NONE
	 */
	NNACCEL_HOST_NONE = 0,
	/**
	 * @NNACCEL_HOST_RINGS: ring addresses are valid, and the host has set head and tail of each ring
	 * (usually 0). A firmware takes rings once: a host that finds another state than READY, or that
	 * restarts, pulls the reset line
	 */
	NNACCEL_HOST_RINGS = 1,
};

/**
 * enum nnaccel_fw_error - why fw_state is %NNACCEL_FW_FAILED
 */
enum nnaccel_fw_error {
	/** @NNACCEL_FW_ERROR_NONE: no error */
	NNACCEL_FW_ERROR_NONE = 0,
	/** @NNACCEL_FW_ERROR_VERSION: the host's contract version is not supported */
	NNACCEL_FW_ERROR_VERSION = 1,
	/** @NNACCEL_FW_ERROR_RING: a ring address, size or index is invalid */
	NNACCEL_FW_ERROR_RING = 2,
	/** @NNACCEL_FW_ERROR_COMMAND: an admin command is malformed */
	NNACCEL_FW_ERROR_COMMAND = 3,
	/** @NNACCEL_FW_ERROR_INTERNAL: internal error of the firmware */
	NNACCEL_FW_ERROR_INTERNAL = 4,
};

/**
 * struct nnaccel_ctx_reg - page-table root of one context. Writer: host, before CTX_OPEN
 */
struct nnaccel_ctx_reg {
	/** @pt_root: bus address of the level 2 page table (nnaccel_mmu.h), 4 KiB aligned; 0: none */
	__le64 pt_root;
	/** @reserved: 0 */
	__le64 reserved;
};
NNACCEL_CHECK_SIZE(struct nnaccel_ctx_reg, 16);

/**
 * struct nnaccel_queue_reg - progress of one queue. Writer: firmware
 *
 * With %NNACCEL_CAP_QUEUE_TIME its values outlive the firmware: until the next QUEUE_CREATE of the queue the
 * host can read which job had begun when the card died or was reset.
 */
struct nnaccel_queue_reg {
	/**
	 * @progress: grows with each operation, loop iteration, or block of a long operation of the running
	 * job. A job is hung only while it does not grow.
	 */
	__le64 progress;
	/**
	 * @seqno: job that began last; 0 before the first. Stored before the firmware accesses any memory for
	 * the job other than its slots
	 */
	__le64 seqno;
};
NNACCEL_CHECK_SIZE(struct nnaccel_queue_reg, 16);

/**
 * struct nnaccel_queue_time - time of one queue on an engine. Writer: firmware
 *
 * Valid with %NNACCEL_CAP_QUEUE_TIME. A job may lose its engine and get one again; the wait for its next turn
 * counts neither as running nor as lack of progress. The host limits the values by its own clock.
 */
struct nnaccel_queue_time {
	/**
	 * @run_ns: time that the job in nnaccel_queue_reg.seqno has held an engine, ns of the device clock;
	 * updated with each progress and at the end of each turn; set to 0 before seqno is stored
	 */
	__le64 run_ns;
	/** @on_engine: 1 while a job of the queue holds an engine, else 0 */
	__le32 on_engine;
	/** @reserved: 0 */
	__le32 reserved;
};
NNACCEL_CHECK_SIZE(struct nnaccel_queue_time, 16);

/**
 * struct nnaccel_regs - the registers, at offset 0 of BAR2
 */
struct nnaccel_regs {
	/* 0x000, writer: slot */

	/** @magic: %NNACCEL_MAGIC */
	__le32 magic;
	/** @layout_version: contract version of this layout; check its major before reading more */
	__le32 layout_version;
	/** @link: enum nnaccel_link */
	__le32 link;
	/** @reset_ack: last reset_req that was carried out: the old card has no access to memory any more */
	__le32 reset_ack;
	/** @reserved0: 0 */
	__le32 reserved0[12];

	/* 0x040, writer: host */

	/** @host_version: contract version of the driver */
	__le32 host_version;
	/** @host_state: enum nnaccel_host_state; stored last, with release */
	__le32 host_state;
	/** @host_generation: generation for which these fields are set */
	__le32 host_generation;
	/** @reset_req: a new value, then %NNACCEL_DOORBELL_RESET, pulls the reset line */
	__le32 reset_req;
	/** @admin_ring: bus address of the admin ring (struct nnaccel_ring_ctl, then slots) */
	__le64 admin_ring;
	/** @cq_ring: bus address of the completion ring */
	__le64 cq_ring;
	/** @admin_slots: slots of the admin ring, a power of two */
	__le32 admin_slots;
	/** @cq_slots: slots of the completion ring, a power of two */
	__le32 cq_slots;
	/** @reserved1: 0 */
	__le32 reserved1[6];

	/* 0x080, writer: firmware */

	/** @generation: grows by one or more at each start of the card; never 0 */
	__le32 generation;
	/** @fw_state: enum nnaccel_fw_state */
	__le32 fw_state;
	/** @fw_error: enum nnaccel_fw_error */
	__le32 fw_error;
	/** @fw_version: firmware version, major << 16 | minor << 8 | patch */
	__le32 fw_version;
	/** @contract_version: contract version of the firmware */
	__le32 contract_version;
	/** @opset_version: version of the operation set (nnaccel_opset.h) */
	__le32 opset_version;
	/** @max_args: most arguments of a job */
	__le32 max_args;
	/** @caps: %NNACCEL_CAP_ bits */
	__le32 caps;
	/** @program_quota: bytes of loaded programs and packed weights that the firmware keeps */
	__le64 program_quota;
	/** @arena_size: most bytes of one job's intermediate tensors */
	__le64 arena_size;
	/** @engines: jobs that can run at the same time; 0 (firmware before 1.1) means 1 */
	__le32 engines;
	/** @reserved2: 0 */
	__le32 reserved2[3];

	/* 0x0c0, writer: firmware, updated while it runs */

	/** @heartbeat: grows at least every 200 ms while the firmware is alive */
	__le64 heartbeat;
	/** @clock_ns: the device's clock at the last heartbeat, ns */
	__le64 clock_ns;
	/** @cq_stalled: 1 while the firmware waits for room in the completion ring */
	__le32 cq_stalled;
	/** @reserved3: 0 */
	__le32 reserved3[3];
	/** @bytes_direct: bytes of host memory used in place, through windows, since the start */
	__le64 bytes_direct;
	/** @bytes_bounced: bytes copied because no window was available */
	__le64 bytes_bounced;
	/** @bytes_loaded: bytes of programs copied into device memory */
	__le64 bytes_loaded;
	/** @jobs_done: jobs completed with any status */
	__le64 jobs_done;

	/** @name: device name, NUL-terminated; writer: firmware */
	__u8 name[64];

	/* 0x140, writer: firmware, updated while it runs; valid with %NNACCEL_CAP_TELEMETRY */

	/** @temperature_mc: of the silicon, thousandths of a degree Celsius, signed */
	__le32 temperature_mc;
	/** @power_mw: that it takes now, mW */
	__le32 power_mw;
	/** @clock_mhz: of the engines now, MHz */
	__le32 clock_mhz;
	/** @max_clock_mhz: the highest clock of the engines, MHz */
	__le32 max_clock_mhz;

	/** @reserved4: 0 */
	__u8 reserved4[0x1000 - 0x150];

	/** @ctx: 0x1000, page-table roots */
	struct nnaccel_ctx_reg ctx[NNACCEL_MAX_CONTEXTS];
	/** @queue: 0x2000, progress */
	struct nnaccel_queue_reg queue[NNACCEL_MAX_QUEUES];
	/** @queue_time: 0x3000, time on the engine */
	struct nnaccel_queue_time queue_time[NNACCEL_MAX_QUEUES];
};
NNACCEL_CHECK_SIZE(struct nnaccel_regs, NNACCEL_REGS_SIZE);

/** NNACCEL_CAP_CONTROL_FLOW - IF and WHILE run on the device */
#define NNACCEL_CAP_CONTROL_FLOW	(1u << 0)
/** NNACCEL_CAP_DYNAMIC_SHAPES - shapes may be unknown until the run */
#define NNACCEL_CAP_DYNAMIC_SHAPES	(1u << 1)
/**
 * NNACCEL_CAP_QUEUE_TIME - struct nnaccel_queue_time is valid, completions carry the time on the engine, queue
 * registers outlive the firmware. Without it a job that has begun counts as running until it ends
 */
#define NNACCEL_CAP_QUEUE_TIME		(1u << 2)
/**
 * NNACCEL_CAP_PREEMPT - a job gives up its engine, and checks for an ABORT, within milliseconds, also inside an
 * operation. Without it a job that has begun holds the engine until the operation ends
 */
#define NNACCEL_CAP_PREEMPT		(1u << 3)
/** NNACCEL_CAP_TELEMETRY - temperature, power and clock are valid (contract 1.2) */
#define NNACCEL_CAP_TELEMETRY		(1u << 4)

#if defined(__cplusplus)
}
#endif

#endif
