/* delta_record.c - delta records, by which a flush of a one-file store tells what changed
 * without a directory of all that is there. A record names the one before it, then the keys that
 * are gone, and then has central directory records of what was put. Applied in their order, from
 * the oldest on, they lead from the directory to what the store holds. */
#include "base/os/file.h"
#include "store/zip/state_internal.h"
#include <libdeflate.h>
#include <stdlib.h>

#define MAGIC       "VZDELTA1"
#define HEADER_SIZE 48
/* bytes of removed keys that are remembered between two flushes */
#define REMOVED_MAX ((size_t)4 << 20)
#define DELTA_MAX   ((uint32_t)1 << 30)
#define IS_TREE     1

/* Where fields stand in a record's header; the removed keys follow, each as 1 byte, 4 bytes of
 * its length, the key. */
enum {
    AT_MAGIC = 0,
    AT_SIZE = 8,
    AT_BEFORE = 12,
    AT_BEFORE_SIZE = 20,
    AT_BEFORE_CRC = 24,
    AT_REMOVED = 28,
    AT_COUNT = 32
};

/* ---- writing ---- */

void vz_zip_note_removed(vz_zip *zip, const char *key, bool with_below)
{
    vz_buffer *removed = &zip->session.removed;
    uint8_t head[5] = {with_below ? IS_TREE : 0};
    if (!vz_zip_is_one_file(zip) || zip->session.is_long)
        return;
    vz_bytes_store_le32(head + 1, (uint32_t)strlen(key));
    /* Without memory for it the whole directory is written, which needs no such notes. */
    zip->session.is_long = removed->size > REMOVED_MAX || !vz_buffer_append(removed, head, sizeof head, NULL) ||
                           !vz_buffer_append(removed, key, strlen(key), NULL);
}

typedef struct printer {
    vz_buffer *out;
    uint64_t count;
} printer;

static bool print_changed(const char *key, bool is_hidden, vz_keytree_value *value, void *context, vz_error *err)
{
    printer *p = context;
    if (is_hidden || !value->is_changed)
        return true;
    p->count++;
    return vz_zip_print_central(p->out, key, value, value->offset, err);
}

bool vz_zip_print_delta(vz_zip *zip, const vz_zip_slot_delta *before, vz_buffer *out, vz_error *err)
{
    const vz_buffer *removed = &zip->session.removed;
    uint8_t header[HEADER_SIZE] = {0};
    printer p = {.out = out};
    const size_t start = out->size;
    if (!vz_buffer_append(out, header, sizeof header, err) ||
        !vz_buffer_append(out, removed->data, removed->size, err) ||
        !vz_keytree_each_changed(zip->tree, print_changed, &p, err))
        return false;
    if (out->size - start > DELTA_MAX)
        return vz_fail(err, VZ_LIMIT, "a delta record of %zu bytes", out->size - start);
    uint8_t *at = out->data + start;
    memcpy(at + AT_MAGIC, MAGIC, strlen(MAGIC));
    vz_bytes_store_le32(at + AT_SIZE, (uint32_t)(out->size - start));
    vz_bytes_store_le64(at + AT_BEFORE, before->offset);
    vz_bytes_store_le32(at + AT_BEFORE_SIZE, before->size);
    vz_bytes_store_le32(at + AT_BEFORE_CRC, before->crc);
    vz_bytes_store_le32(at + AT_REMOVED, (uint32_t)removed->size);
    vz_bytes_store_le64(at + AT_COUNT, p.count);
    return true;
}

/* ---- reading ---- */

static bool fail_damaged(vz_error *err)
{
    return vz_fail(err, VZ_CORRUPT, "a record of a flush is damaged");
}

static bool take_removed(vz_zip *zip, const uint8_t *next, size_t left, vz_error *err)
{
    while (left) {
        const size_t length = left < 5 ? SIZE_MAX : vz_bytes_load_le32(next + 1);
        if (length > left - 5 || memchr(next + 5, '\0', length))
            return fail_damaged(err);
        char *key = strndup((const char *)next + 5, length);
        if (!key)
            return vz_fail_memory(err);
        vz_keytree_remove(zip->tree, key, next[0] & IS_TREE);
        free(key);
        next += 5 + length, left -= 5 + length;
    }
    return true;
}

static bool read_delta(const vz_zip *zip, const vz_zip_slot *slot, const vz_zip_slot_delta *delta, uint8_t **bytes,
                       vz_error *err)
{
    *bytes = NULL;
    if (delta->size < HEADER_SIZE || delta->size > DELTA_MAX || delta->offset > slot->used ||
        delta->size > slot->used - delta->offset)
        return fail_damaged(err);
    if (!(*bytes = malloc(delta->size)))
        return vz_fail_memory(err);
    if (!vz_zip_read(zip, delta->offset, *bytes, delta->size, err))
        return false;
    const uint32_t crc = libdeflate_crc32(0, *bytes, delta->size);
    if (crc != delta->crc && vz_zip_is_one_byte_off(crc, delta->crc, delta->size))
        return vz_fail(err, VZ_INVALID, "a byte of the record of a flush, at %llu, is damaged",
                       (unsigned long long)delta->offset);
    return (crc == delta->crc && memcmp(*bytes, MAGIC, strlen(MAGIC)) == 0 &&
            vz_bytes_load_le32(*bytes + AT_SIZE) == delta->size &&
            vz_bytes_load_le32(*bytes + AT_REMOVED) <= delta->size - HEADER_SIZE) ||
           fail_damaged(err);
}

static bool apply(vz_zip *zip, const vz_zip_slot *slot, const vz_zip_slot_delta *delta, vz_error *err)
{
    uint8_t *bytes;
    bool ok = read_delta(zip, slot, delta, &bytes, err);
    if (ok) {
        const size_t removed = vz_bytes_load_le32(bytes + AT_REMOVED), head = HEADER_SIZE + removed;
        const vz_bytes records = {.data = bytes + head, .size = delta->size - head};
        ok = take_removed(zip, bytes + HEADER_SIZE, removed, err) &&
             vz_zip_take_records(zip, records, vz_bytes_load_le64(bytes + AT_COUNT), slot->used, err);
    }
    free(bytes);
    return ok;
}

/* Which record stands before that one. */
static bool go_back(const vz_zip *zip, const vz_zip_slot *slot, vz_zip_slot_delta *delta, vz_error *err)
{
    uint8_t *bytes;
    const bool ok = read_delta(zip, slot, delta, &bytes, err);
    if (ok)
        *delta = (vz_zip_slot_delta){.offset = vz_bytes_load_le64(bytes + AT_BEFORE),
                                     .size = vz_bytes_load_le32(bytes + AT_BEFORE_SIZE),
                                     .crc = vz_bytes_load_le32(bytes + AT_BEFORE_CRC)};
    free(bytes);
    return ok;
}

static bool is_same_delta(const vz_zip_slot_delta *a, const vz_zip_slot_delta *b)
{
    return a->offset == b->offset && a->size == b->size && a->crc == b->crc;
}

bool vz_zip_take_deltas(vz_zip *zip, const vz_zip_slot *slot, const vz_zip_slot *known, vz_error *err)
{
    const uint32_t count = slot->deltas - known->deltas;
    if (count == 0)
        return slot->deltas == 0 || is_same_delta(&slot->last, &known->last) || fail_damaged(err);
    if (slot->deltas > VZ_ZIP_DELTAS_MAX)
        return vz_fail(err, VZ_LIMIT, "%u records of flushes", slot->deltas);
    vz_zip_slot_delta *chain = malloc(count * sizeof *chain), delta = slot->last;
    bool ok = chain || vz_fail_memory(err);
    for (uint32_t i = count; ok && i-- > 0;) {
        chain[i] = delta;
        ok = go_back(zip, slot, &delta, err);
    }
    ok = ok && ((known->deltas ? is_same_delta(&delta, &known->last) : delta.size == 0) || fail_damaged(err));
    for (uint32_t i = 0; ok && i < count; i++)
        ok = apply(zip, slot, &chain[i], err);
    free(chain);
    return ok;
}
