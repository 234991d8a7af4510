/* copy_large.c - a value that is not held in memory as a whole. It is read in pieces of one
 * version, and written in pieces. A store that takes no pieces gets it from a file without a name,
 * in a bucket in parts. */
#include "base/os/file.h"
#include "base/os/mapping.h"
#include "command/sync/sync_internal.h"
#include <errno.h>

typedef struct large {
    vz_sync *run;
    vz_sync_item *item;
    vz_store_value held; /* of a source that is not on a server */
    bool is_held, is_gone, has_no_ranges;
    vz_buffer piece, there;
    vz_buffer whole; /* of a server that sends no ranges */
} large;

/* ---- reading ---- */

static bool begin_reading(large *l, vz_error *err)
{
    vz_sync *run = l->run;
    bool found = true;
    if (run->source.is_far)
        return true;
    l->held.file = -1;
    if (!vz_store_open_value(run->source.store, l->item->key, VZ_VALUE_READ, &l->held, &found, err))
        return false;
    l->is_held = found;
    l->is_gone = !found || l->held.stamp.size != l->item->size;
    if (found && run->source.is_directory)
        l->item->modified = l->held.stamp.modified;
    return true;
}

/* range NULL: all of it. */
static bool ask(large *l, const vz_range *range, vz_buffer *into, vz_error *err)
{
    vz_buffer scratch = {0};
    vz_request request = {.op = VZ_REQUEST_GET,
                          .key = l->item->key,
                          .ranges = range,
                          .range_count = range ? 1 : 0,
                          .into = into,
                          .when = l->item->demanded.size ? VZ_WHEN_VERSION : VZ_WHEN_ANY,
                          .version = l->item->demanded};
    const bool ok = vz_request_do(l->run->source.store, &request, &scratch, err);
    vz_buffer_clear(&scratch);
    l->is_gone = l->is_gone || (ok && !request.found);
    l->has_no_ranges = l->has_no_ranges || (range && request.size > 0);
    return ok;
}

/* A server that sends no ranges would send all of it for each piece. */
static bool take_whole(large *l, vz_error *err)
{
    l->whole.limit = VZ_SYNC_HELD_MAX;
    if (l->item->size > VZ_SYNC_HELD_MAX)
        return vz_fail(err, VZ_UNSUPPORTED, "the server sends no ranges, and the value has more than %zu MiB",
                       VZ_SYNC_HELD_MAX >> 20);
    const bool ok = ask(l, NULL, &l->whole, err);
    l->is_gone = l->is_gone || (ok && l->whole.size != l->item->size);
    return ok;
}

static bool ask_range(large *l, vz_range range, vz_error *err)
{
    if (!l->has_no_ranges)
        return ask(l, &range, &l->piece, err);
    if (!l->whole.data && !take_whole(l, err))
        return false;
    return l->is_gone || vz_buffer_append(&l->piece, l->whole.data + range.offset, (size_t)range.size, err);
}

/* One piece into l->piece. A version that is gone is no failure: l->is_gone. */
static bool read_piece(large *l, uint64_t offset, vz_error *err)
{
    const uint64_t rest = l->item->size - offset;
    const vz_range range = {.kind = VZ_RANGE_AT, .offset = offset, .size = rest < VZ_SYNC_PIECE ? rest : VZ_SYNC_PIECE};
    vz_error failed = VZ_ERROR_NONE;
    l->piece.size = 0;
    const bool ok =
        l->is_held ? vz_store_read_value(l->run->source.store, l->item->key, &l->held, &range, 1, &l->piece, &failed)
                   : ask_range(l, range, &failed);
    l->is_gone = l->is_gone || failed.class == VZ_CHANGED;
    if (ok || l->is_gone)
        return true;
    *err = failed;
    return false;
}

typedef bool (*take_piece)(large *l, void *context, uint64_t offset, bool *goes_on, vz_error *err);

static bool each_piece(large *l, take_piece take, void *context, vz_error *err)
{
    bool ok = true, goes_on = true;
    for (uint64_t offset = 0; ok && goes_on && !l->is_gone && offset < l->item->size; offset += VZ_SYNC_PIECE) {
        ok = read_piece(l, offset, err);
        if (ok && !l->is_gone)
            ok = take(l, context, offset, &goes_on, err);
    }
    return ok;
}

/* ---- is it the same? ---- */

static bool compare_piece(large *l, void *context, uint64_t offset, bool *goes_on, vz_error *err)
{
    const vz_range range = {.kind = VZ_RANGE_AT, .offset = offset, .size = l->piece.size};
    bool *same = context, found = false;
    vz_error failed = VZ_ERROR_NONE;
    l->there.size = 0;
    if (!vz_store_get(l->run->target.store, l->item->key, range, &l->there, &found, &failed) &&
        failed.class != VZ_CORRUPT) {
        *err = failed;
        return false;
    }
    *same = found && l->there.size == l->piece.size && memcmp(l->there.data, l->piece.data, l->piece.size) == 0;
    *goes_on = *same;
    return true;
}

static bool hash_piece(large *l, void *context, uint64_t offset, bool *goes_on, vz_error *err)
{
    (void)offset, (void)goes_on, (void)err;
    vz_sync_md5_more(context, l->piece.data, l->piece.size);
    return true;
}

static bool decide(large *l, bool *same, vz_error *err)
{
    *same = l->item->way == VZ_SYNC_LOOK;
    if (l->item->way == VZ_SYNC_LOOK)
        return each_piece(l, compare_piece, same, err);
    if (l->item->way != VZ_SYNC_HASH)
        return true;
    uint8_t result[16];
    vz_sync_md5 sum;
    vz_sync_md5_begin(&sum);
    const bool ok = each_piece(l, hash_piece, &sum, err);
    vz_sync_md5_end(&sum, result);
    *same = ok && memcmp(result, l->item->md5, sizeof result) == 0;
    return ok;
}

/* ---- writing ---- */

static bool write_piece(large *l, void *context, uint64_t offset, bool *goes_on, vz_error *err)
{
    (void)goes_on;
    return vz_pieces_write(l->run->target.store, context, offset, (vz_bytes){l->piece.data, l->piece.size}, err);
}

static bool put_pieces(large *l, vz_pieces *pieces, vz_error *err)
{
    vz_store *store = l->run->target.store;
    bool ok = each_piece(l, write_piece, pieces, err);
    if (ok && !l->is_gone)
        ok = vz_pieces_put(store, l->item->key, pieces, false, err);
    vz_pieces_drop(pieces);
    return ok;
}

static bool spool_piece(large *l, void *context, uint64_t offset, bool *goes_on, vz_error *err)
{
    (void)goes_on;
    return vz_os_file_write(*(const int *)context, offset, l->piece.data, l->piece.size, err);
}

/* Not through the write-behind buffer, which would copy it. */
static bool put_mapped(large *l, int file, vz_error *err)
{
    const size_t size = (size_t)l->item->size;
    const void *bytes = vz_os_map_file(file, size);
    vz_buffer scratch = {0};
    if (!bytes)
        return vz_fail_errno(err, errno, "%zu bytes of a temporary file cannot be mapped", size);
    vz_request request = {.op = VZ_REQUEST_PUT, .key = l->item->key, .value = {.data = bytes, .size = size}};
    const bool ok = vz_request_do(l->run->target.store, &request, &scratch, err);
    vz_buffer_clear(&scratch);
    vz_os_unmap((void *)(uintptr_t)bytes, size);
    return ok;
}

static bool put_spooled(large *l, vz_error *err)
{
    int file = vz_sync_temp_file(err);
    if (file < 0)
        return false;
    const bool ok = each_piece(l, spool_piece, &file, err) && (l->is_gone || put_mapped(l, file, err));
    vz_os_close(file);
    return ok;
}

static bool put(large *l, vz_error *err)
{
    vz_sync *run = l->run;
    if (!vz_sync_begin(run, err))
        return false;
    vz_pieces *pieces = vz_pieces_begin(run->target.store, l->item->key);
    if (!(pieces ? put_pieces(l, pieces, err) : put_spooled(l, err))) {
        vz_error_where(err, run->target.name, l->item->key);
        return false;
    }
    if (l->is_gone)
        return true;
    run->counts.copied++;
    run->counts.copied_size += l->item->size;
    return vz_sync_set_time(run, l->item, err);
}

bool vz_sync_copy_large(vz_sync *run, vz_sync_item *item, vz_error *err)
{
    large l = {.run = run, .item = item};
    bool same = false;
    bool ok = begin_reading(&l, err) && decide(&l, &same, err);
    if (ok && !l.is_gone && same)
        ok = vz_sync_set_time(run, item, err);
    else if (ok && !l.is_gone) {
        item->differs = true;
        ok = run->request->dry_run || put(&l, err);
    }
    const bool is_sure = !l.is_gone && (!l.is_held || !run->source.is_directory ||
                                        !vz_store_value_changed(run->source.store, item->key, &l.held));
    if (!is_sure)
        vz_sync_sums_spoil(run->sums, item->key);
    if (l.is_held)
        vz_store_close_value(run->source.store, &l.held);
    vz_buffer_clear(&l.piece);
    vz_buffer_clear(&l.there);
    vz_buffer_clear(&l.whole);
    vz_sync_tell_done(run, item);
    vz_error_where(err, run->source.name, item->key);
    return ok;
}
