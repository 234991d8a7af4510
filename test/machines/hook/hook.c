/* hook.c - the plan: which call is counted, and what happens at the chosen one. */
#include "hook_inside.h"
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define REMEMBERED_MAX 2000000
#define DEPTH_NEAR     6 /* the functions of the hook are fewer */

static const struct {
    const char *name;
    int errors[8];
    bool changes; /* what is stored */
} kinds[HOOK_KINDS] = {
    [HOOK_OPEN] = {"open", {EMFILE, EACCES, EIO, EINTR}, false},
    [HOOK_CREATE] = {"create", {ENOSPC, EMFILE, EACCES, EIO, EINTR}, true},
    [HOOK_READ] = {"read", {EIO, EINTR, HOOK_SHORT}, false},
    [HOOK_WRITE] = {"write", {ENOSPC, EIO, EINTR, HOOK_SHORT}, true},
    [HOOK_CLOSE] = {"close", {EIO, ENOSPC, EINTR}, false},
    [HOOK_STAT] = {"stat", {EACCES, EIO}, false},
    [HOOK_LIST] = {"list", {EMFILE, EACCES, ENOMEM}, false},
    [HOOK_ENTRY] = {"entry", {EIO}, false},
    [HOOK_RENAME] = {"rename", {ENOSPC, EACCES, EIO}, true},
    [HOOK_UNLINK] = {"unlink", {EACCES, EIO}, true},
    [HOOK_MKDIR] = {"mkdir", {ENOSPC, EACCES, EIO}, true},
    [HOOK_SYNC] = {"sync", {ENOSPC, EIO, EINTR}, false},
    [HOOK_LOCK] = {"lock", {ENOLCK, EINTR, EIO}, false},
    [HOOK_MODE] = {"mode", {EACCES, EIO}, true},
    [HOOK_COPY] = {"copy", {EXDEV, ENOSPC, EIO, HOOK_SHORT}, true},
    [HOOK_SIZE] = {"size", {ENOSPC, EIO, EOPNOTSUPP}, true},
    [HOOK_DUP] = {"dup", {EMFILE, EBUSY}, false},
    [HOOK_RANDOM] = {"random", {ENOSYS, EINTR}, false},
    [HOOK_MEMORY] = {"memory", {ENOMEM}, false},
};

static struct hook_plan plan;
static atomic_long count;
static atomic_bool hit;
static unsigned char remembered[REMEMBERED_MAX];
static unsigned long sites[REMEMBERED_MAX][HOOK_SITES];
static unsigned long way_to_hit[HOOK_WAY_MAX];
static int way_length;

const char *hook_kind_name(int kind)
{
    return kinds[kind].name;
}

const int *hook_kind_errors(int kind)
{
    return kinds[kind].errors;
}

void hook_start(const struct hook_plan *wanted)
{
    plan.mode = HOOK_OFF;
    atomic_store(&count, 0);
    atomic_store(&hit, false);
    way_length = 0;
    hook_clock_start(wanted->session);
    plan = *wanted;
}

void hook_start_with(int mode, int memory, long at, int error)
{
    hook_start(&(struct hook_plan){.mode = mode, .memory = memory, .at = at, .error = error});
}

long hook_stop(void)
{
    plan.mode = HOOK_OFF;
    return atomic_load(&count);
}

bool hook_was_hit(void)
{
    return atomic_load(&hit);
}

const unsigned char *hook_kinds(void)
{
    return atomic_load(&count) <= REMEMBERED_MAX ? remembered : NULL;
}

int hook_way(const unsigned long **places)
{
    *places = way_to_hit;
    return way_length;
}

const unsigned long *hook_sites(void)
{
    return atomic_load(&count) <= REMEMBERED_MAX ? sites[0] : NULL;
}

bool hook_is_recording(void)
{
    return plan.mode == HOOK_RECORD;
}

bool hook_is_counting(void)
{
    return plan.mode != HOOK_OFF && plan.mode != HOOK_RECORD;
}

void hook_die(void)
{
    kill(getpid(), SIGKILL);
    for (;;) /* until the signal is delivered, which may be to another thread first */
        pause();
}

static bool can_fail_with(int kind, int error)
{
    for (const int *e = kinds[kind].errors; *e; e++)
        if (*e == error)
            return true;
    return false;
}

/* The places in the module that called this library, innermost first, as offsets in it: how many. */
static int find_way(unsigned long *places, int places_max, int depth_max)
{
    void *way[HOOK_WAY_MAX];
    Dl_info own, at;
    int found = 0;
    const void *module = NULL;
    const int depth = dladdr((void *)(uintptr_t)&hook_decide, &own) ? backtrace(way, depth_max) : 0;
    for (int i = 0; i < depth && found < places_max; i++) {
        if (!dladdr(way[i], &at) || at.dli_fbase == own.dli_fbase || (module && at.dli_fbase != module))
            continue;
        module = at.dli_fbase;
        places[found++] = (unsigned long)((char *)way[i] - (char *)at.dli_fbase) - 1; /* of the call, not after it */
    }
    return found;
}

static enum hook_verdict fail(void)
{
    if (!atomic_exchange(&hit, true))
        way_length = find_way(way_to_hit, HOOK_WAY_MAX, HOOK_WAY_MAX);
    if (plan.error == HOOK_SHORT)
        return HOOK_DO_HALF;
    errno = plan.error;
    return HOOK_REFUSE;
}

/* Of kinds that are not counted nothing happens: allocations when system calls are asked for, and the other way round;
 * when the process is to be killed, calls that change nothing. */
enum hook_verdict hook_decide(int kind)
{
    const int mode = plan.mode;
    if (!hook_is_counting() || (kind == HOOK_MEMORY) != (plan.memory != 0) ||
        (mode == HOOK_KILL && !kinds[kind].changes))
        return HOOK_GO_ON;
    const long number = atomic_fetch_add(&count, 1) + 1;
    if (mode == HOOK_COUNT && number <= REMEMBERED_MAX) {
        remembered[number - 1] = (unsigned char)kind;
        memset(sites[number - 1], 0, sizeof sites[number - 1]);
        find_way(sites[number - 1], HOOK_SITES, DEPTH_NEAR + HOOK_SITES);
    }
    if (mode == HOOK_FAIL && number == plan.at)
        return fail();
    if (mode == HOOK_FAIL_ON && number >= plan.at && can_fail_with(kind, plan.error))
        return fail();
    if (mode == HOOK_KILL && number == plan.at) {
        if (plan.error == HOOK_HALF && kind == HOOK_WRITE)
            return HOOK_DIE_HALFWAY;
        hook_die();
    }
    return HOOK_GO_ON;
}
