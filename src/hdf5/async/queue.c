/* queue.c - requests that wait are done in their order, as many at once as one plan of arrays
 * takes. */
#include "hdf5/async/async_internal.h"
#include "base/os/process.h"

/* Requests of one call of the program after another come within microseconds, on a busy machine
 * within milliseconds. It pays to wait for the next one a sixteenth of an answer's time. */
#define LINGER_LEAST_NS (UINT64_C(200) * 1000)
#define ANSWER_NS       (UINT64_C(16) * 1000 * 1000) /* until one came */
enum { LINGER_PAUSES = 16, ANSWER_FRACTION = 16 };

/* Requests that are done together, and their transfers. */
typedef struct batch {
    vz_async_request *requests[VZ_ASYNC_TRANSFERS_MAX];
    size_t firsts[VZ_ASYNC_TRANSFERS_MAX]; /* number of the first transfer of each */
    size_t request_count;
    vz_array_transfer transfers[VZ_ASYNC_TRANSFERS_MAX];
    size_t count;
    bool repeats; /* an array occurs more than once */
} batch;

/* The request, or the first one behind it that nobody has begun or canceled. */
static vz_async_request *waiting_from(vz_async_request *request)
{
    while (request && (request->begun || request->status != VZ_ASYNC_UNDER_WAY))
        request = request->next;
    return request;
}

/* ---- which ones go together ---- */

static bool share_array(const vz_async_work *a, const vz_async_work *b)
{
    for (size_t i = 0; i < a->count; i++)
        for (size_t k = 0; k < b->count; k++)
            if (a->transfers[i].array == b->transfers[k].array)
                return true;
    return false;
}

static bool share_memory(const vz_async_work *a, const vz_async_work *b)
{
    return a->low < b->high && b->low < a->high;
}

/* Writes of one array have an order. So have two reads of it into one place. *repeats: it is read
 * already. */
static bool is_independent(const batch *b, const vz_async_work *work, bool *repeats)
{
    for (size_t i = 0; i < b->request_count; i++) {
        const vz_async_work *other = &b->requests[i]->work;
        if (!share_array(other, work))
            continue;
        if (!work->reading || share_memory(other, work))
            return false;
        *repeats = true;
    }
    return true;
}

static bool fits(batch *b, const vz_async_work *work)
{
    return b->count == 0 ||
           (b->count + work->count <= VZ_ASYNC_TRANSFERS_MAX && b->requests[0]->work.reading == work->reading &&
            b->requests[0]->work.file == work->file && is_independent(b, work, &b->repeats));
}

static void add(batch *b, vz_async_request *request)
{
    b->firsts[b->request_count] = b->count;
    b->requests[b->request_count++] = request;
    for (size_t i = 0; i < request->work.count; i++)
        b->transfers[b->count++] = request->work.transfers[i];
}

/* The first that does not fit ends the batch, as order is kept. */
static void gather(batch *b)
{
    b->count = b->request_count = 0;
    b->repeats = false;
    vz_async_request *request = waiting_from(vz_async.first);
    while (request && fits(b, &request->work)) {
        add(b, request);
        request = waiting_from(request->next);
    }
}

/* ---- doing them ---- */

static void begin(batch *b)
{
    for (size_t i = 0; i < b->request_count; i++) {
        vz_async_request *request = b->requests[i];
        request->begun = true;
        request->began_us = (uint64_t)vz_os_date_ns() / 1000;
        request->took_ns = (uint64_t)vz_os_now_ns(); /* the end is put in its place */
    }
}

static void end(vz_async_request *request, vz_async_status status)
{
    request->took_ns = (uint64_t)vz_os_now_ns() - request->took_ns;
    request->status = status;
}

/* Of one request, or of several of which none has failed. */
static bool try_all(batch *b, size_t *failed, vz_error *err)
{
    for (size_t i = 0; i < b->request_count; i++)
        b->requests[i]->work.rewind(b->requests[i]->work.context);
    *failed = 0;
    return b->repeats                     ? vz_arrays_read_any(b->transfers, b->count, failed, err)
           : b->requests[0]->work.reading ? vz_arrays_read(b->transfers, b->count, failed, err)
                                          : vz_arrays_write(b->transfers, b->count, failed, err);
}

static size_t request_of(const batch *b, size_t transfer)
{
    size_t number = b->request_count - 1;
    while (b->firsts[number] > transfer)
        number--;
    return number;
}

/* Takes the one that failed out of the batch. */
static void fail_one(batch *b, size_t transfer, const vz_error *err)
{
    vz_async_request *kept[VZ_ASYNC_TRANSFERS_MAX];
    const size_t number = request_of(b, transfer), count = b->request_count;
    vz_async_request *request = b->requests[number];
    request->failed = transfer - b->firsts[number];
    request->error = *err;
    memcpy(kept, b->requests, count * sizeof(vz_async_request *));
    b->count = b->request_count = 0;
    for (size_t i = 0; i < count; i++)
        if (i != number)
            add(b, kept[i]);
}

/* A server that fails would be asked in vain for each of the others. */
static bool concerns_all(const vz_error *err)
{
    return err->class == VZ_IO || err->class == VZ_TRANSIENT || err->class == VZ_NO_MEMORY;
}

/* Of several reads of one array it is not known which one failed. */
static void read_one_by_one(const batch *b)
{
    for (size_t i = 0; i < b->request_count; i++) {
        vz_async_request *request = b->requests[i];
        vz_error err = VZ_ERROR_NONE;
        request->work.rewind(request->work.context);
        if (!vz_arrays_read(request->work.transfers, request->work.count, &request->failed, &err))
            request->error = err;
    }
}

/* One failure says nothing of the others, which are done again. */
static void do_batch(batch *b)
{
    size_t failed;
    while (b->request_count > 0) {
        vz_error err = VZ_ERROR_NONE;
        if (try_all(b, &failed, &err))
            return;
        if (b->repeats && !concerns_all(&err)) {
            read_one_by_one(b);
            return;
        }
        fail_one(b, failed, &err);
        while (concerns_all(&err) && b->request_count > 0)
            fail_one(b, 0, &err);
    }
}

/* Without the lock. */
static void do_in_turn(batch *b)
{
    vz_os_mutex_lock(&vz_async.lock);
    vz_async_begin_turn();
    vz_os_mutex_unlock(&vz_async.lock);
    do_batch(b);
    vz_os_mutex_lock(&vz_async.lock);
    vz_async_end_turn();
    vz_os_mutex_unlock(&vz_async.lock);
}

static uint64_t answer_ns = ANSWER_NS; /* of the last batch of a remote store */

static uint64_t linger_ns(void)
{
    const uint64_t part = answer_ns / ANSWER_FRACTION;
    return part < LINGER_LEAST_NS ? LINGER_LEAST_NS : part > VZ_ASYNC_LINGER_MOST_NS ? VZ_ASYNC_LINGER_MOST_NS : part;
}

/* One answer's time at most, or some pauses: a round trip more would cost as much. */
static uint64_t lingers_most(uint64_t pause)
{
    return answer_ns > LINGER_PAUSES * pause ? answer_ns : LINGER_PAUSES * pause;
}

/* The condition also changes for other reasons, which do not end the wait. */
void vz_async_linger(uint64_t pause)
{
    const uint64_t begin = (uint64_t)vz_os_now_ns(), most = lingers_most(pause);
    const vz_async_request *last = vz_async.last;
    uint64_t asked = vz_async.asked_ahead, now = begin, end = begin + pause;
    while (vz_async.waiting == 0 && !vz_async.forking && now < end && now - begin < most) {
        vz_os_condition_wait_for(&vz_async.changed, &vz_async.lock, end - now);
        now = (uint64_t)vz_os_now_ns();
        if (vz_async.last != last || vz_async.asked_ahead != asked)
            end = now + pause;
        last = vz_async.last;
        asked = vz_async.asked_ahead;
    }
}

void vz_async_note_answer(uint64_t nanoseconds)
{
    answer_ns = nanoseconds;
}

bool vz_async_batch_waits(void)
{
    return waiting_from(vz_async.first) != NULL;
}

bool vz_async_run_batch(void)
{
    static batch b; /* one at a time; large for a thread's stack */
    vz_async_request *all[VZ_ASYNC_TRANSFERS_MAX];
    const vz_async_request *head = waiting_from(vz_async.first);
    if (!head || vz_async.forking || (vz_async.making && vz_async.waiting == 0))
        return false;
    if (head->work.is_far)
        vz_async_linger(linger_ns());
    gather(&b);
    if (b.request_count == 0)
        return false;
    const size_t count = b.request_count;
    memcpy(all, b.requests, count * sizeof(vz_async_request *));
    begin(&b);
    vz_async.at_work = true;
    vz_os_mutex_unlock(&vz_async.lock);
    do_in_turn(&b);
    vz_os_mutex_lock(&vz_async.lock);
    vz_async.at_work = false;
    if (all[0]->work.is_far) /* took_ns still is the beginning */
        vz_async_note_answer((uint64_t)vz_os_now_ns() - all[0]->took_ns);
    for (size_t i = 0; i < count; i++)
        end(all[i], all[i]->error.class == VZ_OK ? VZ_ASYNC_SUCCEEDED : VZ_ASYNC_FAILED);
    vz_os_condition_broadcast(&vz_async.changed);
    return true;
}
