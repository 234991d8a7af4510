/* task_queue.c - many tasks under way, by one set of the engine. The thread that pulls the last
 * answer of a task owns the task until its next exchanges are sent or it is handed out. */
#include "remote/bucket/task_internal.h"
#include <stdlib.h>

/* tasks begun and not handed out: their answers take memory */
#define WINDOW (2 * VZ_REMOTE_IN_FLIGHT)

struct vz_task_queue {
    vz_bucket *remote;
    const vz_net_functions *net;
    vz_net_set *set;
    bool (*begin)(vz_task *task, vz_error *err);
    vz_task *tasks;
    size_t count;
    vz_os_mutex lock;      /* of what follows, and of `pending` of tasks */
    vz_os_condition moved; /* a task was sent on, or handed out */
    size_t begun, ended;   /* tasks */
    size_t held;           /* of those that are under way: held by a thread that looks at them */
    size_t moves;          /* grows when one of them no longer is */
    vz_task *early;        /* at its end before anybody pulled; NULL: none is */
    vz_task *doubted;      /* at their end, but for the proof that what was refused is missing */
    vz_task *proved;       /* the same with the proof, or failed for want of it */
    bool proving;          /* a thread asks for it: others wait, as there are more tasks to hand
                            * out */
};

vz_task_queue *vz_task_queue_open(vz_bucket *remote, vz_task *tasks, size_t count,
                                  bool (*begin)(vz_task *task, vz_error *err), vz_error *err)
{
    vz_task_queue *run = calloc(1, sizeof *run);
    if (!run) {
        vz_fail_memory(err);
        return NULL;
    }
    run->remote = remote;
    run->net = remote->site->net;
    run->begin = begin ? begin : vz_task_begin;
    run->tasks = tasks;
    run->count = count;
    if (!(run->set = run->net->set_open(&remote->site->options, err))) {
        free(run);
        return NULL;
    }
    vz_os_mutex_init(&run->lock);
    vz_os_condition_init(&run->moved);
    return run;
}

static void fail_task(vz_task *task, const vz_error *failed)
{
    if (task->err.class == VZ_OK)
        task->err = *failed;
}

/* ---- sending ---- */

/* `pending` grows before the exchange can be answered. */
static bool send_one(vz_task_queue *run, vz_task *task, vz_exchange *x, vz_error *err)
{
    vz_os_mutex_lock(&run->lock);
    task->pending++;
    vz_os_mutex_unlock(&run->lock);
    if (run->net->set_add(run->set, &x->net, err))
        return true;
    vz_os_mutex_lock(&run->lock);
    task->pending--;
    vz_os_mutex_unlock(&run->lock);
    return false;
}

typedef enum sent {
    SENT_NOTHING, /* nothing was asked for, or the task failed */
    SENT_WAITS,   /* the thread that receives the last answer has the task */
    SENT_ANSWERED /* other threads received all answers meanwhile */
} sent;

/* Sends what the task asked for. Meanwhile one more is pending, so that no other thread takes the
 * task. */
static sent send_on(vz_task_queue *run, vz_task *task)
{
    vz_error failed = VZ_ERROR_NONE;
    const size_t first = task->first, count = task->count;
    if (first == count)
        return SENT_NOTHING;
    task->first = count;
    vz_os_mutex_lock(&run->lock);
    task->pending = 1;
    vz_os_mutex_unlock(&run->lock);
    for (size_t i = first; i < count && failed.class == VZ_OK; i++)
        if (vz_exchange_aim(task->exchanges[i], &failed))
            send_one(run, task, task->exchanges[i], &failed);
    if (failed.class != VZ_OK)
        fail_task(task, &failed);
    vz_os_mutex_lock(&run->lock);
    const bool waits = --task->pending > 0;
    vz_os_mutex_unlock(&run->lock);
    return waits ? SENT_WAITS : SENT_ANSWERED;
}

/* All that the task asked for is answered. False: it goes on, and is another thread's by now. */
static bool is_at_end(vz_task_queue *run, vz_task *task)
{
    while (task->err.class == VZ_OK) {
        vz_error failed = VZ_ERROR_NONE;
        if (!task->go_on(task, &failed)) {
            fail_task(task, &failed);
            break;
        }
        const sent what = send_on(run, task);
        if (what != SENT_ANSWERED)
            return what == SENT_NOTHING;
    }
    return true;
}

static bool begin_one(vz_task_queue *run, vz_task *task)
{
    vz_error failed = VZ_ERROR_NONE;
    task->is_begun = true;
    if (!run->begin(task, &failed)) {
        fail_task(task, &failed);
        return true;
    }
    const sent what = send_on(run, task);
    return what == SENT_NOTHING || (what == SENT_ANSWERED && is_at_end(run, task));
}

/* ---- what was refused ---- */

/* One proof stands for all of them: it is asked for after the last of the refusals. */
static void prove_all(vz_bucket *remote, vz_task *doubted)
{
    vz_absence needed = VZ_ABSENCE_SAID, proved = VZ_ABSENCE_SAID;
    for (const vz_task *task = doubted; task; task = task->next_doubted)
        needed = task->absence > needed ? task->absence : needed;
    if (vz_absence_is_proved(remote, needed))
        proved = needed;
    else if (needed > VZ_ABSENCE_IF_READABLE && vz_absence_is_proved(remote, VZ_ABSENCE_IF_READABLE))
        proved = VZ_ABSENCE_IF_READABLE;
    for (vz_task *task = doubted; task; task = task->next_doubted) {
        if (task->absence > proved)
            fail_task(task, task->refusal);
        else
            vz_refusals_count();
    }
}

/* Under the lock, which it leaves while it asks. False: nothing was to be proved, or not all tasks
 * are at their end. */
static bool prove(vz_task_queue *run)
{
    vz_task *doubted = run->doubted;
    if (run->proving) {
        vz_os_condition_wait(&run->moved, &run->lock);
        return true;
    }
    if (!doubted || run->ended < run->count)
        return false;
    run->doubted = NULL;
    run->proving = true;
    vz_os_mutex_unlock(&run->lock);
    prove_all(run->remote, doubted);
    vz_os_mutex_lock(&run->lock);
    run->proved = doubted;
    run->proving = false;
    vz_os_condition_broadcast(&run->moved);
    return true;
}

static bool is_doubted(const vz_task *task)
{
    return vz_task_is_refused(task) && task->err.class == VZ_OK;
}

/* Under the lock. The task that is handed out: `ended`, or one that waited for its proof. */
static vz_task *hand_out(vz_task_queue *run, vz_task *ended)
{
    if (ended && is_doubted(ended)) {
        ended->next_doubted = run->doubted;
        run->doubted = ended;
        ended = NULL;
    }
    if (!ended && (ended = run->proved))
        run->proved = ended->next_doubted;
    return ended;
}

/* ---- pulling; the functions below are called under the lock, and leave it while they work ---- */

static vz_task *hold(vz_task_queue *run, vz_task *task, bool (*work)(vz_task_queue *run, vz_task *task))
{
    run->held++;
    vz_os_mutex_unlock(&run->lock);
    const bool ends = work(run, task);
    vz_os_mutex_lock(&run->lock);
    run->held--;
    run->moves++;
    run->ended += ends;
    vz_os_condition_broadcast(&run->moved);
    return ends ? task : NULL;
}

/* The answered exchange's task, if it waits for no other one. */
static vz_task *task_of(vz_task_queue *run, vz_exchange *x)
{
    vz_task *task = x->task;
    if (vz_exchange_is_redirected(x)) {
        vz_error failed = VZ_ERROR_NONE;
        task->pending++; /* so that it stays this thread's */
        vz_os_mutex_unlock(&run->lock);
        const bool is_sent = run->net->set_add(run->set, &x->net, &failed);
        vz_os_mutex_lock(&run->lock);
        task->pending -= is_sent ? 1 : 2;
        if (!is_sent)
            fail_task(task, &failed);
        return task->pending ? NULL : task;
    }
    return --task->pending ? NULL : task;
}

/* *none: nothing is under way that an answer could come from. */
static vz_task *pull(vz_task_queue *run, bool *none)
{
    const size_t moves = run->moves;
    vz_os_mutex_unlock(&run->lock);
    vz_net_request *answered = run->net->set_next(run->set);
    vz_os_mutex_lock(&run->lock);
    if (answered) {
        vz_task *task = task_of(run, answered->owner);
        return task ? hold(run, task, is_at_end) : NULL;
    }
    if (run->held > 0 && run->moves == moves)
        vz_os_condition_wait(&run->moved, &run->lock);
    else
        *none = run->moves == moves;
    return NULL;
}

static bool has_room(const vz_task_queue *run)
{
    return run->begun < run->count && run->begun - run->ended < WINDOW;
}

void vz_task_queue_start(vz_task_queue *run)
{
    vz_os_mutex_lock(&run->lock);
    while (!run->early && has_room(run))
        run->early = hold(run, &run->tasks[run->begun++], begin_one);
    vz_os_mutex_unlock(&run->lock);
}

vz_task *vz_task_queue_next(vz_task_queue *run)
{
    bool none = false;
    vz_os_mutex_lock(&run->lock);
    vz_task *task = hand_out(run, run->early);
    run->early = NULL;
    while (!task && !none) {
        if (has_room(run))
            task = hold(run, &run->tasks[run->begun++], begin_one);
        else if (run->begun == run->ended)
            none = !prove(run);
        else
            task = pull(run, &none);
        task = hand_out(run, task);
    }
    vz_os_mutex_unlock(&run->lock);
    return task;
}

bool vz_task_queue_has_proved(vz_task_queue *run)
{
    vz_os_mutex_lock(&run->lock);
    const bool has = run->proved || run->proving || (run->doubted && run->ended == run->count);
    vz_os_mutex_unlock(&run->lock);
    return has;
}

/* ---- the end ---- */

static void end(vz_task_queue *run)
{
    for (size_t i = 0; i < run->count; i++)
        vz_task_clear(&run->tasks[i]);
    free(run);
}

void vz_task_queue_close(vz_task_queue *run)
{
    run->net->set_close(run->set);
    vz_os_mutex_destroy(&run->lock);
    vz_os_condition_destroy(&run->moved);
    end(run);
}

/* The lock may be another thread's, which is not here. */
void vz_task_queue_drop(vz_task_queue *run)
{
    run->net->set_drop(run->set);
    end(run);
}

bool vz_task_queue_all(vz_bucket *remote, vz_task *tasks, size_t count, bool (*begin)(vz_task *task, vz_error *err),
                       vz_error *err)
{
    vz_task_queue *run = vz_task_queue_open(remote, tasks, count, begin, err);
    vz_error failed = VZ_ERROR_NONE;
    size_t ended = 0;
    if (!run)
        return false;
    for (vz_task *task; failed.class == VZ_OK && (task = vz_task_queue_next(run)); ended++)
        failed = task->err;
    if (failed.class == VZ_OK && ended < count)
        vz_fail(&failed, VZ_TRANSIENT, "the requests were given up");
    vz_task_queue_close(run);
    if (failed.class != VZ_OK && err && err->class == VZ_OK)
        *err = failed;
    return failed.class == VZ_OK;
}

bool vz_task_queue_request(vz_bucket *remote, vz_request *request, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    vz_task task = {.remote = remote, .request = request};
    const bool ok = vz_task_queue_all(remote, &task, 1, NULL, &failed);
    request->failed = failed.class;
    if (!ok && err && err->class == VZ_OK)
        *err = failed;
    return ok;
}
