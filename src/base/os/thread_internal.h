/* thread_internal.h - how many processors this process may use. */
#ifndef VZ_OS_THREAD_INTERNAL_H
#define VZ_OS_THREAD_INTERNAL_H

#define VZ_OS_PROCESSORS_MAX (1 << 16)

/* The processors that this process may run on, at least 1. */
unsigned vz_os_affinity_count(void);

/* The number of threads that the affinity mask and the control groups (v2 and v1 quotas) allow, at
 * least 1. */
unsigned vz_machine_threads(void);

/* The processors that the control groups' quotas amount to, rounded up; 0: no quota. `root`
 * stands before /proc (tests give a directory of their own; the mount points named in mountinfo
 * are looked up below it too). */
unsigned vz_machine_quota(const char *root);

#endif
