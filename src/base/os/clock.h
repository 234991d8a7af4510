/* clock.h - the time, and waiting. */
#ifndef VZ_OS_CLOCK_H
#define VZ_OS_CLOCK_H

#include <stdint.h>

int64_t vz_os_now_ns(void);       /* of a clock that only goes forward, whatever the date is set to */
int64_t vz_os_date_ns(void);      /* since 1970, in UTC */
void vz_os_sleep_us(uint64_t us); /* a signal may end it before */

#endif
