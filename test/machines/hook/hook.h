/* hook.h - stands between the connector's module and the C library: counts its system calls and allocations, and at a
 * chosen one lets it fail, kills the process, or records what it changes. Only calls that the named modules make
 * themselves go through it: their linkage tables are rewritten, everybody else's are left alone. */
#ifndef VZ_HOOK_H
#define VZ_HOOK_H

#include <stdbool.h>
#include <stddef.h>

/* What kind of call it is: decides which errors make sense for it. */
enum hook_kind {
    HOOK_OPEN,   /* of what is there */
    HOOK_CREATE, /* open that may make a file */
    HOOK_READ,
    HOOK_WRITE,
    HOOK_CLOSE,
    HOOK_STAT,   /* and access, readlink, realpath, fstatfs, flistxattr */
    HOOK_LIST,   /* opendir, fdopendir */
    HOOK_ENTRY,  /* readdir */
    HOOK_RENAME, /* and link */
    HOOK_UNLINK,
    HOOK_MKDIR,
    HOOK_SYNC,
    HOOK_LOCK,
    HOOK_MODE,   /* fchmod, fchown, fsetxattr, futimens */
    HOOK_COPY,   /* copy_file_range */
    HOOK_SIZE,   /* ftruncate, fallocate */
    HOOK_DUP,    /* dup3 */
    HOOK_RANDOM, /* getrandom */
    HOOK_MEMORY,
    HOOK_KINDS
};

enum hook_mode {
    HOOK_OFF,
    HOOK_COUNT,
    HOOK_FAIL,    /* call number `at` fails with `error` */
    HOOK_FAIL_ON, /* that call, and every later one that can fail with `error` */
    HOOK_KILL,    /* the process is killed instead of call number `at`; `error` HOOK_HALF: after half of it, where it
                     writes */
    HOOK_RECORD
};

enum { HOOK_WAY_MAX = 60 };
enum { HOOK_SHORT = -1, HOOK_HALF = -2 }; /* instead of an errno: half of what was asked is read or written */

struct hook_plan {
    int mode;
    int memory; /* allocations are counted, else system calls */
    long at;    /* from 1 */
    int error;
    int session; /* a later one of the same store comes in a later second, and draws other random numbers */
};

/* Rewrites the linkage tables of every loaded module whose path contains one of `modules` (separated by ','). Returns
 * how many entries were rewritten; -1 when the first module calls the system by a name that is not known here. To be
 * called once, after the modules were loaded; what is loaded later is not hooked. */
int hook_install(const char *modules);

/* The name of the system call that hook_install() does not know, else NULL. */
const char *hook_unknown(void);

void hook_start(const struct hook_plan *plan);
long hook_stop(void);    /* the number of calls since hook_start() */
bool hook_was_hit(void); /* since hook_start() the chosen call came */
/* By which way: offsets in the module that made it, the call itself first. Returns how many. */
int hook_way(const unsigned long **places);

/* In HOOK_COUNT: of which kinds the calls were, hook_stop() many; NULL when that was too many to remember. */
const unsigned char *hook_kinds(void);
/* And where in the connector each was made: HOOK_SITES offsets in its module a call, the innermost first, 0 where there
 * are no more. */
#define HOOK_SITES 3
const unsigned long *hook_sites(void);
const char *hook_kind_name(int kind);
const int *hook_kind_errors(int kind); /* ends with 0 */

/* For ctypes: the same without a structure. */
void hook_start_with(int mode, int memory, long at, int error);

/* HOOK_RECORD: to this file, which is made. A mark is a line of its own in it. */
bool hook_record_to(const char *path);
void hook_mark(const char *text);

#endif
