/* SPDX-License-Identifier: Apache-2.0 */
/* What one core of this processor can do at most, measured. */
#ifndef NNCTL_PEAK_H
#define NNCTL_PEAK_H

struct peak {
	/* 0: not known */
	double int8_gops, float_gops; /* a multiply-add is two operations */
	double read_gbs; /* of memory that is in the second-level cache */
};

/** By instructions of the set @isa (the names of nnhal_device_info.isa). Takes some 20 ms. */
struct peak peak_measure(const char *isa);

#endif
