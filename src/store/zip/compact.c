/* compact.c - writing all values into a new zip file. Hidden values (partial names: objects that
 * lost their last name while they are open) go into a new spool instead. */
#include "base/os/file.h"
#include "store/zip/state_internal.h"
#include "store/zip/pages_internal.h"
#include "store/zip/replace_internal.h"
#include <libdeflate.h>
#include <stdlib.h>

#define COPY_SIZE ((size_t)1 << 20)
typedef struct packer {
    vz_zip *zip;
    vz_zip_packed *packed;
    uint64_t offset; /* where the next record of the zip file goes */
    vz_buffer local, central;
    uint64_t count;
    uint8_t *copy_buffer;
} packer;

static bool write_next(packer *p, const void *data, size_t size, vz_error *err)
{
    if (!vz_os_file_write(p->packed->file, p->offset, data, size, err))
        return false;
    p->offset += size;
    return true;
}

/* ---- values ---- */

static bool copy_by_hand(packer *p, const vz_keytree_value *value, uint64_t offset, int to, uint64_t *place,
                         uint64_t size, vz_error *err)
{
    while (size) {
        const size_t part = size < COPY_SIZE ? (size_t)size : COPY_SIZE;
        if (!vz_zip_read_of(p->zip, value, offset, p->copy_buffer, part, err) ||
            !vz_os_file_write(to, *place, p->copy_buffer, part, err))
            return false;
        offset += part, *place += part, size -= part;
    }
    return true;
}

/* The kernel copies large values, or shares their blocks, where the file system can. */
static bool copy_data(packer *p, const vz_keytree_value *value, int to, uint64_t *place, vz_error *err)
{
    uint64_t offset, size = value->stored;
    if (!vz_zip_find_data(p->zip, value, &offset, err))
        return false;
    const int from = vz_zip_file_of(p->zip, value);
    while (from >= 0 && size >= COPY_SIZE) {
        const ssize_t done = vz_os_clone_range(from, offset, to, *place, size);
        if (done <= 0)
            break; /* what is really wrong shows below */
        offset += (uint64_t)done, *place += (uint64_t)done, size -= (uint64_t)done;
    }
    return copy_by_hand(p, value, offset, to, place, size, err);
}

static bool pack_visible(packer *p, const char *key, vz_keytree_value *value, vz_error *err)
{
    vz_keytree_value new = *value;
    new.flags = value->next_flags = vz_zip_name_flags(key); /* entries that were streamed get their
                                                             * sizes */
    value->next = p->offset;
    const size_t header = vz_zip_local_size(key, &new);
    p->local.size = 0;
    p->count++;
    return vz_zip_print_local(&p->local, key, &new, vz_zip_padding(p->offset, header, new.stored, 0), err) &&
           write_next(p, p->local.data, p->local.size, err) && copy_data(p, value, p->packed->file, &p->offset, err) &&
           vz_zip_print_central(&p->central, key, &new, value->next, err);
}

static bool keep_hidden(packer *p, vz_keytree_value *value, vz_error *err)
{
    vz_zip_packed *packed = p->packed;
    if (packed->spool < 0 && (packed->spool = vz_zip_spool_new(p->zip, err)) < 0)
        return false;
    value->next = packed->spooled;
    return copy_data(p, value, packed->spool, &packed->spooled, err);
}

static bool pack_value(const char *key, bool is_hidden, vz_keytree_value *value, void *context, vz_error *err)
{
    packer *p = context;
    const bool ok = is_hidden ? keep_hidden(p, value, err) : pack_visible(p, key, value, err);
    if (!ok)
        vz_error_where(err, p->zip->base.path, key);
    return ok;
}

/* ---- beginning and end ---- */

/* Copies the bytes before the entries: a user block and the header, or another program's bytes. */
static bool copy_prefix(packer *p, vz_error *err)
{
    const vz_zip *zip = p->zip;
    const uint64_t size = vz_zip_is_one_file(zip) ? vz_signature_slot(zip->header.base, 0) : zip->prefix;
    const vz_keytree_value all = {.place = VZ_KEYTREE_PACKED};
    if (!copy_by_hand(p, &all, 0, p->packed->file, &p->offset, size, err))
        return false;
    if (vz_zip_is_one_file(zip))
        p->offset = vz_zip_first(zip);
    return true;
}

/* The first slot: it says where the index is. */
static bool write_slot(packer *p, const vz_zip_end *end, vz_error *err)
{
    uint8_t bytes[VZ_SIGNATURE_SLOT_SIZE];
    p->packed->slot = (vz_zip_slot){.sequence = 1, .end = *end, .used = end->after};
    vz_zip_slot_print(&p->packed->slot, bytes);
    return vz_os_file_write(p->packed->file, vz_signature_slot(p->zip->header.base, 1), bytes, sizeof bytes, err);
}

static bool write_end(packer *p, vz_error *err)
{
    vz_zip_end *end = &p->packed->end;
    *end = (vz_zip_end){
        .directory = p->offset, .count = p->count, .is_ours = true, .generation = p->zip->directory.generation + 1};
    if (vz_zip_is_one_file(p->zip) && !vz_zip_index_print(&p->central, end, err))
        return false;
    end->size = p->central.size;
    end->crc = libdeflate_crc32(0, p->central.data, p->central.size);
    return vz_zip_print_end(&p->central, end, err) && write_next(p, p->central.data, p->central.size, err) &&
           (end->index_size == 0 || write_slot(p, end, err));
}

bool vz_zip_pack(vz_zip *zip, vz_zip_packed *packed, vz_error *err)
{
    packer p = {.zip = zip, .packed = packed, .copy_buffer = malloc(COPY_SIZE)};
    const bool ok = (p.copy_buffer || vz_fail_memory(err)) && copy_prefix(&p, err) &&
                    vz_keytree_each(zip->tree, pack_value, &p, err) && write_end(&p, err);
    free(p.copy_buffer);
    vz_buffer_clear(&p.local);
    vz_buffer_clear(&p.central);
    return ok;
}
