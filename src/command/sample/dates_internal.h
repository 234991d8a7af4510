/* dates_internal.h - numbers that count time, as dates. Nothing here fails but by "it is none". */
#ifndef VZ_SAMPLE_DATES_INTERNAL_H
#define VZ_SAMPLE_DATES_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#define VZ_SAMPLE_DATE_SIZE 64 /* of a text, with its end */

typedef enum vz_sample_calendar {
    VZ_CALENDAR_STANDARD, /* Gregorian; days before 1582-10-15 are none */
    VZ_CALENDAR_PROLEPTIC,
    VZ_CALENDAR_365, /* years without leap days */
    VZ_CALENDAR_360, /* of twelve months of 30 days */
} vz_sample_calendar;

typedef struct vz_sample_date {
    int64_t year;
    unsigned month, day; /* from 1 on */
} vz_sample_date;

/* CF's units and calendar of an array, "hours since 2000-01-01 06:00". */
typedef struct vz_sample_clock {
    int64_t scale; /* ns that 1 is */
    __int128 from; /* ns of 0, in the calendar's own count of days */
    vz_sample_calendar calendar;
} vz_sample_clock;
/* calendar: "" where none is said. False: it counts no time, or none that is understood. */
bool vz_sample_clock_parse(const char *units, const char *calendar, vz_sample_clock *clock);
/* "2000-01-02", "2000-01-02 06:30:00". False: it lies beyond what is shown. */
bool vz_sample_clock_integer(const vz_sample_clock *clock, int64_t number, char text[VZ_SAMPLE_DATE_SIZE]);
bool vz_sample_clock_real(const vz_sample_clock *clock, double number, char text[VZ_SAMPLE_DATE_SIZE]);

/* An element of numpy's datetime64 of that unit ("ns", "25s"), as numpy prints it. */
bool vz_sample_datetime(const char *unit, int64_t number, char text[VZ_SAMPLE_DATE_SIZE]);

#endif
