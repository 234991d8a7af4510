/* measure.h - arguments and measuring, for the programs of the benchmark. A program does one thing once and prints one
 * line of JSON. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Arguments are written key=value. A text that is not there is NULL without a default; a number that is none ends the
 * program. */
void bench_arguments(int count, char **arguments);
const char *bench_text(const char *key, const char *otherwise);
long bench_number(const char *key, long otherwise);
/* "1024x1024" into at most 4 numbers; returns how many. */
int bench_shape(const char *key, uint64_t *shape);

/* Ends the program with a message when something failed. */
void bench_need(bool worked, const char *what);
void *bench_allocate(size_t size);

/* What lies between the two is measured: wall and CPU seconds (of all threads), and the peak of resident memory. Once
 * in a program. */
void bench_start(void);
void bench_stop(void);

/* What was read goes into a digest (CRC-32), by which results are compared. */
void bench_digest(const void *bytes, size_t size);
/* The line of JSON. result_size: bytes of a buffer for the result that was not touched before the start. */
void bench_report(size_t result_size);

#endif
