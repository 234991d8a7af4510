/* hook.c - the plan: which call is counted, and what happens at the chosen one. */
#include "hook_inside.h"
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#define REMEMBERED_MAX 2000000

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
    [HOOK_SIZE] = {"size", {ENOSPC, EIO}, true},
    [HOOK_MEMORY] = {"memory", {ENOMEM}, false},
};

static struct hook_plan plan;
static atomic_long count;
static atomic_bool hit;
static unsigned char remembered[REMEMBERED_MAX];

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
    hook_clock_start();
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

static enum hook_verdict fail(void)
{
    atomic_store(&hit, true);
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
    if (mode == HOOK_COUNT && number <= REMEMBERED_MAX)
        remembered[number - 1] = (unsigned char)kind;
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
