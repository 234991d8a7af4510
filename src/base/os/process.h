/* process.h - what a process asks the system for: the time, its environment, random numbers, and
 * child processes with the signals that come meanwhile. */
#ifndef VZ_OS_PROCESS_H
#define VZ_OS_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* -- Clock -- */
#define VZ_OS_NS_PER_S 1000000000LL
int64_t vz_os_now_ns(void);       /* of a clock that only goes forward, whatever the date is set
                                   * to */
int64_t vz_os_date_ns(void);      /* since 1970, in UTC */
int64_t vz_os_date_s(void);       /* in seconds */
void vz_os_sleep_us(uint64_t us); /* a signal may end it before */
/* The date that a file changed now would get: vz_os_date_ns runs ahead of it by up to a tick. */
struct timespec vz_os_file_date(void);

/* -- Environment --
 * Texts stay the system's: a program that sets a variable may free them. */
const char *vz_os_environment(const char *name); /* NULL: it is not set */
/* As vz_os_environment, but NULL in a program with more rights than its user has. */
const char *vz_os_environment_trusted(const char *name);
/* All of it: "NAME=value" each, up to a NULL. */
char *const *vz_os_environment_all(void);
void vz_os_environment_unset(const char *name);

/* -- Random numbers --
 * False: the system has none (a machine that has just started). It does not wait for them. */
bool vz_os_random(void *bytes, size_t size);

/* -- Children -- */
/* How a process ended. */
typedef struct vz_os_ended {
    int status; /* its own, where no signal ended it */
    int signal; /* that ended it, or 0 */
} vz_os_ended;

long vz_os_fork(void); /* 0 in the child; -1 and errno */
/* This process ends at once, and nothing is cleaned up. */
void __attribute__((noreturn)) vz_os_exit(int status);
/* Runs a program, found as a shell finds it, with the environment and with the signals' ordinary
 * meaning. Its input is empty, and its output comes from `*output`. 0, or the number of the error;
 * `*child` is 0 then where there was no pipe for it. */
int vz_os_run(char *const *words, long *child, int *output);
/* Reads its output, and waits for more for so many milliseconds. 0: it has closed its output; -1
 * and errno, ETIMEDOUT if the time is over. */
ptrdiff_t vz_os_output_read(int output, void *data, size_t size, int64_t ms);
void vz_os_output_close(int output);
/* Up to so many milliseconds, and at least one look. False: it has not ended. Where somebody else
 * has waited for it, it counts as ended with status 0. */
bool vz_os_wait(long child, uint64_t ms, unsigned look_ms, vz_os_ended *ended);
void vz_os_kill(long child, vz_os_ended *ended); /* ends it, and waits for that */
const char *vz_os_signal_name(int number);       /* in words */

/* -- Signals --
 * A process that waits for its child decides about signals that would end either. */
typedef struct vz_os_signals {
    sigset_t held, before;
    struct sigaction child_before;
} vz_os_signals;

/* The end of a child, and what stops a program unless it ignores that, wait from now on. */
void vz_os_signals_hold(vz_os_signals *signals);
void vz_os_signals_restore(const vz_os_signals *signals);
/* Waits until the child has ended, or kills it when a held signal comes: its number, else 0. */
int vz_os_signals_wait(const vz_os_signals *signals, long child, vz_os_ended *ended);
/* Of a forked child: it ends when its parent does, and leaves the terminal's interrupt to the
 * parent. False: the parent has ended already. */
bool vz_os_follow_parent(long parent);
void vz_os_raise(int number); /* with its ordinary meaning; while it is held, it waits */

#endif
