/* remote_file.c - see tree_internal.h. */
#include "remote/bucket/tree_internal.h"
#include "base/os/process.h"
#include <stdio.h>
#include <stdlib.h>

#define HEAD_SIZE 8192 /* bytes: longer user blocks are not looked behind */
/* holds the longest end record, and the directory of some thousand entries */
#define TAIL_SIZE  (128 << 10)
#define BLOCK_SIZE (1 << 20)
#define SPAN_MAX   ((uint64_t)64 << 20) /* up to the end, where a directory begins in the middle */
/* bytes of a file that is searched: at first, and where one part after the other is read */
#define SEARCHED_FEW  (128 << 10)
#define SEARCHED_MANY ((uint64_t)8 << 20)

enum { HEAD, TAIL, LAST };

/* ---- the first look ---- */

static vz_exchange *ask_part(vz_task *task, const char *range, uint64_t most, vz_error *err)
{
    vz_exchange *x = vz_task_ask_key(task, VZ_NET_GET, "", err);
    if (!x || !vz_exchange_line(x, err, "Range: bytes=%s", range))
        return NULL;
    x->net.into = &x->own;
    x->net.most = most;
    return x;
}

/* One part that arrived; a value of no bytes has none, and a server without ranges sends all of
 * it. */
static bool take_part(vz_bucket_file_bytes *b, int which, vz_exchange *x, vz_error *err)
{
    vz_net_content_range range;
    const vz_version version = vz_remote_version_of_answer(x->site->net, &x->net);
    if (x->net.status == 200) {
        range = (vz_net_content_range){0, x->own.size, x->own.size};
    } else if (!x->site->net->range_of(&x->net, &range) || range.total == UINT64_MAX || range.size != x->own.size) {
        return vz_fail(err, VZ_CORRUPT, "the server does not say which range it sends");
    }
    if (which == TAIL && (range.total != b->size || !vz_version_equal(&version, &b->version)))
        return vz_exchange_fail_changed(err);
    b->size = range.total;
    b->version = version;
    b->blocks[which].first = range.first;
    b->blocks[which].bytes = x->own;
    b->blocks[which].bytes.limit = 0;
    x->own = (vz_buffer){0};
    return true;
}

/* *nothing: there is no value, or none of any bytes. */
static bool look_at(vz_task *task, int which, bool *nothing, vz_error *err)
{
    vz_exchange *x = task->exchanges[which];
    *nothing = x->net.failed == VZ_OK && (x->net.status == 416 || vz_exchange_is_page(x));
    if (*nothing)
        return true;
    if (x->net.failed == VZ_LIMIT && x->net.status == 200)
        return vz_fail(err, VZ_UNSUPPORTED,
                       "a file on a server that sends no ranges: it would have to be read as a whole");
    if (!vz_task_check_read(task, x, nothing, err))
        return false;
    return *nothing || take_part(task->state, which, x, err);
}

static bool tail_looked(vz_task *task, vz_error *err)
{
    bool nothing;
    return look_at(task, TAIL, &nothing, err);
}

static bool looked(vz_task *task, vz_error *err)
{
    bool nothing;
    return look_at(task, HEAD, &nothing, err) && (nothing || tail_looked(task, err));
}

/* Where ranges from the end are not known: the start tells how long the value is. */
static bool head_looked(vz_task *task, vz_error *err)
{
    const vz_bucket_file_bytes *b = task->state;
    bool nothing;
    char range[48];
    if (!look_at(task, HEAD, &nothing, err))
        return false;
    if (nothing || b->size == 0)
        return true;
    snprintf(range, sizeof range, "%llu-%llu", (unsigned long long)(b->size > TAIL_SIZE ? b->size - TAIL_SIZE : 0),
             (unsigned long long)b->size - 1);
    task->go_on = tail_looked;
    return ask_part(task, range, TAIL_SIZE, err) != NULL;
}

static bool begin_look(vz_task *task, vz_error *err)
{
    const vz_service *service = task->remote->site->service;
    if (service && service->protocol->has_no_suffixes) {
        task->go_on = head_looked;
        return ask_part(task, "0-8191", TAIL_SIZE, err) != NULL;
    }
    task->go_on = looked;
    return ask_part(task, "0-8191", TAIL_SIZE, err) && ask_part(task, "-131072", TAIL_SIZE, err);
}

/* ---- the byte source ---- */

static vz_bucket_file_bytes *bytes_of(vz_byte_source *source)
{
    return (vz_bucket_file_bytes *)source;
}

static const uint8_t *known_of(const vz_bucket_file_bytes *b, int blocks, uint64_t offset, size_t size)
{
    for (int i = 0; i < blocks; i++) {
        const vz_buffer *bytes = &b->blocks[i].bytes;
        const uint64_t first = b->blocks[i].first;
        if (offset >= first && offset - first <= bytes->size && size <= bytes->size - (offset - first))
            return bytes->data + (offset - first);
    }
    return NULL;
}

static const uint8_t *known(const vz_bucket_file_bytes *b, uint64_t offset, size_t size)
{
    return known_of(b, VZ_FILE_BLOCKS, offset, size);
}

/* These two blocks stay as they are. */
const uint8_t *vz_bucket_file_bytes_opened(const vz_bucket_file_bytes *b, uint64_t offset, size_t size)
{
    return known_of(b, LAST, offset, size);
}

/* Of a file that is searched: more, the longer somebody reads on where the last part ended. */
static uint64_t searched_size(const vz_bucket_file_bytes *b, uint64_t offset, size_t size)
{
    const uint64_t first = b->blocks[LAST].first, last = b->blocks[LAST].bytes.size;
    const bool goes_on = last && offset > first && offset <= first + last;
    uint64_t wanted = goes_on ? 2 * last : SEARCHED_FEW;
    if (wanted > SEARCHED_MANY)
        wanted = SEARCHED_MANY;
    return wanted > size ? wanted : size;
}

/* More than is asked for: what begins behind the start of the value mostly goes on to its end. */
static bool read_block(vz_bucket_file_bytes *b, uint64_t offset, size_t size, vz_error *err)
{
    const uint64_t rest = b->size - offset,
                   to_tail = b->blocks[TAIL].first > offset ? b->blocks[TAIL].first - offset : 0;
    uint64_t wanted = size > BLOCK_SIZE ? size : BLOCK_SIZE;
    if (b->base.is_searched)
        wanted = searched_size(b, offset, size);
    else if (to_tail <= SPAN_MAX && to_tail + b->blocks[TAIL].bytes.size > wanted)
        wanted = to_tail + b->blocks[TAIL].bytes.size;
    vz_buffer *bytes = &b->blocks[LAST].bytes;
    const vz_range range = {.kind = VZ_RANGE_AT, .offset = offset, .size = wanted < rest ? wanted : rest};
    vz_request request = {
        .key = "", .ranges = &range, .range_count = 1, .into = bytes, .when = VZ_WHEN_VERSION, .version = b->version};
    vz_task task = {.remote = b->remote, .request = &request};
    bytes->size = 0;
    b->blocks[LAST].first = offset;
    return vz_task_queue_all(b->remote, &task, 1, vz_task_begin_get, err);
}

static bool read_bytes(vz_byte_source *source, uint64_t offset, void *data, size_t size, vz_error *err)
{
    vz_bucket_file_bytes *b = bytes_of(source);
    if (offset > b->size || size > b->size - offset)
        return vz_fail(err, VZ_CORRUPT, "the file ends before");
    if (!known(b, offset, size) && !read_block(b, offset, size, err))
        return false;
    memcpy(data, known(b, offset, size), size);
    return true;
}

static bool tell_size(vz_byte_source *source, uint64_t *size, vz_error *err)
{
    (void)err;
    *size = bytes_of(source)->size;
    return true;
}

static bool close_bytes(vz_byte_source *source, vz_error *err)
{
    (void)err;
    vz_bucket_file_bytes_close(bytes_of(source));
    return true;
}

static const vz_byte_source_class class = {.read = read_bytes, .size = tell_size, .close = close_bytes};

void vz_bucket_file_bytes_close(vz_bucket_file_bytes *b)
{
    for (int i = 0; b && i < VZ_FILE_BLOCKS; i++)
        vz_buffer_clear(&b->blocks[i].bytes);
    free(b);
}

#define ATTEMPTS_MAX 6
#define WAIT_US      100000 /* before the second one; each further one doubles */
#define WAIT_MAX_US  5000000

bool vz_bucket_again(unsigned attempt, const vz_error *failed)
{
    if (failed->class != VZ_TRANSIENT || attempt >= ATTEMPTS_MAX)
        return false;
    const uint64_t most = (uint64_t)WAIT_US << attempt >> 1;
    const int64_t now = vz_os_now_ns();
    const uint64_t wait = most < WAIT_MAX_US ? most : WAIT_MAX_US;
    vz_os_sleep_us(wait / 2 + vz_hash(&now, sizeof now, 0) % (wait / 2 + 1));
    return true;
}

static bool look_at_all(vz_bucket *remote, vz_bucket_file_bytes *b, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    unsigned attempt = 0;
    do {
        failed = VZ_ERROR_NONE;
        for (int i = 0; i < VZ_FILE_BLOCKS; i++)
            vz_buffer_clear(&b->blocks[i].bytes);
        b->size = 0;
        vz_task task = {.remote = remote, .state = b};
        if (vz_task_queue_all(remote, &task, 1, begin_look, &failed))
            return true;
    } while (vz_bucket_again(++attempt, &failed));
    if (err && err->class == VZ_OK)
        *err = failed;
    return false;
}

bool vz_bucket_file_bytes_open(vz_bucket *remote, vz_bucket_file_bytes **bytes, bool *found, vz_error *err)
{
    vz_bucket_file_bytes *b = calloc(1, sizeof *b);
    *bytes = NULL;
    *found = false;
    if (!b)
        return vz_fail_memory(err);
    b->base.class = &class;
    b->base.identity = remote->base.identity;
    b->base.file = -1;
    b->base.is_read_anywhere = true;
    b->remote = remote;
    const bool ok = look_at_all(remote, b, err);
    *found = ok && b->size > 0;
    if (*found)
        *bytes = b;
    else
        vz_bucket_file_bytes_close(b);
    return ok;
}

bool vz_bucket_file_bytes_look(vz_bucket_file_bytes *b, vz_signature *header, bool *is_zip, vz_error *err)
{
    const uint8_t *start = b->size >= 4 ? known(b, 0, 4) : NULL;
    *header = (vz_signature){.kind = VZ_SIGNATURE_NONE};
    *is_zip = start && (memcmp(start, "PK\3\4", 4) == 0 || memcmp(start, "PK\5\6", 4) == 0);
    return *is_zip || vz_signature_find_in(&b->base, b->size < HEAD_SIZE ? b->size : HEAD_SIZE, header, err);
}

vz_bytes vz_bucket_file_bytes_start(const vz_bucket_file_bytes *b)
{
    const vz_buffer *head = &b->blocks[HEAD].bytes;
    return (vz_bytes){head->data, head->size};
}
