/* hook_inside.h - what the files of the hook share. */
#ifndef VZ_HOOK_INSIDE_H
#define VZ_HOOK_INSIDE_H

#include "hook.h"
#include <sys/types.h>
#include <time.h>

struct hook_replacement {
    const char *name;
    void *function;
};

extern const struct hook_replacement hook_system_calls[]; /* each ends with a name of NULL */
extern const struct hook_replacement hook_byte_calls[];
extern const struct hook_replacement hook_allocations[];

/* What is to be done with a call of this kind. */
enum hook_verdict { HOOK_GO_ON, HOOK_REFUSE, HOOK_DO_HALF, HOOK_DIE_HALFWAY };
enum hook_verdict hook_decide(int kind); /* sets errno for HOOK_REFUSE */
#define REFUSED(kind) (hook_decide(kind) == HOOK_REFUSE)
void hook_die(void);
bool hook_is_recording(void);
bool hook_is_counting(void);

/* hook_clock.c */
void hook_clock_start(int session);
int hook_clock_gettime(clockid_t clock, struct timespec *now);
time_t hook_time(time_t *place);
int hook_nanosleep(const struct timespec *length, struct timespec *rest);
void hook_draw(void *bytes, size_t size);

/* What changed, after it succeeded. Paths are as given, relative to `directory`. errno is kept. */
void hook_record_path(const char *what, int directory, const char *path);
void hook_record_paths(const char *what, int from_directory, const char *from, int to_directory, const char *to);
void hook_record_made(int file, int directory, const char *path, int flags);
void hook_record_named(int file, int directory, const char *path); /* one that had no name */
void hook_record_write(int file, off_t offset, const void *data, size_t size);
void hook_record_file(const char *what, int file, long long value);

#endif
