/* reserve_space.c - an entry's place in the zip file. It is taken before the entry is written, so
 * that several threads write theirs together. It is freed if the entry is replaced before it was
 * published. */
#include "store/zip/state_internal.h"
#include "base/os/file.h"
#include <stdlib.h>

#define SMALL       ((size_t)1 << 16) /* bytes of a value that is written with its local header */
#define COPY_SIZE   ((size_t)1 << 20)
#define HIDDEN_ROOM 512 /* for the name that an entry gets that has none yet */

bool vz_zip_take_place(vz_zip *zip, const char *key, vz_keytree_value *value, size_t *padding, vz_error *err)
{
    vz_zip_session *s = &zip->session;
    const size_t header = vz_zip_local_size(key, value);
    const size_t least =
        vz_keytree_is_hidden(key) && header < HIDDEN_ROOM - VZ_ZIP_PADDING_MIN ? HIDDEN_ROOM - header : 0;
    const vz_zip_entry_place place = vz_zip_room_find(&s->room, header, value->stored, least);
    const uint64_t coming = s->coming;
    s->coming += VZ_ZIP_CENTRAL_SIZE + strlen(key) + 28;
    if (place.after > INT64_MAX / 2 ||
        !vz_zip_move_guard(zip, place.after > s->room.frontier ? place.after : s->room.frontier, err)) {
        s->coming = coming;
        return place.after <= INT64_MAX / 2 ? false : vz_fail(err, VZ_LIMIT, "the zip file would be too large");
    }
    vz_zip_room_take(&s->room, &place);
    value->place = VZ_KEYTREE_NEW;
    value->offset = place.first;
    value->slack = 0;
    value->lead = (uint32_t)(header + place.padding);
    *padding = place.padding;
    s->added += place.after - place.first;
    return true;
}

/* One call for both where they are small. */
static bool write_both(vz_zip *zip, vz_buffer *header, const vz_keytree_value *value, const void *data, vz_error *err)
{
    const uint64_t offset = value->offset;
    const bool together = value->stored <= SMALL;
    if (together && !vz_buffer_append(header, data, (size_t)value->stored, err))
        return false;
    return vz_zip_write(zip, offset, header->data, header->size, err) &&
           (together || vz_zip_write(zip, offset + value->lead, data, (size_t)value->stored, err));
}

bool vz_zip_write_entry(vz_zip *zip, const char *key, const vz_keytree_value *value, size_t padding, const void *data,
                        vz_error *err)
{
    vz_buffer header = {0};
    const bool ok = vz_zip_print_local(&header, key, value, padding, err) && write_both(zip, &header, value, data, err);
    vz_buffer_clear(&header);
    return ok;
}

/* A process that was forked since may still read what this one has replaced. */
void vz_zip_drop(const vz_keytree_value *value, void *context)
{
    vz_zip *zip = context;
    if (value->place == VZ_KEYTREE_NEW && zip->session.forks == vz_zip_forks())
        vz_zip_room_give(&zip->session.room, value->offset - value->slack,
                         value->slack + (uint64_t)value->lead + value->stored);
    else
        vz_zip_spool_drop(value, zip);
}

/* ---- another name, another place ---- */

/* Before its data there may be enough room for a header with the new name. */
static bool rename_in_place(vz_zip *zip, const char *key, vz_keytree_value *value, bool *done, vz_error *err)
{
    const size_t header = vz_zip_local_size(key, value), all = value->slack + (size_t)value->lead;
    size_t padding = all < header ? 0 : all - header, slack = 0;
    *done = value->place == VZ_KEYTREE_NEW && all >= header;
    if (!*done)
        return true;
    if (padding && padding < VZ_ZIP_PADDING_MIN) /* too little to be said */
        slack = padding, padding = 0;
    vz_buffer bytes = {0};
    const uint64_t first = value->offset - value->slack + slack;
    const bool ok = vz_zip_print_local(&bytes, key, value, padding, err) &&
                    vz_zip_write_at(zip, first, bytes.data, bytes.size, err);
    if (ok) {
        value->offset = first;
        value->slack = (uint32_t)slack;
        value->lead = (uint32_t)(header + padding);
    }
    vz_buffer_clear(&bytes);
    return ok;
}

static bool copy_by_hand(vz_zip *zip, const vz_keytree_value *value, uint64_t from, uint64_t to, uint64_t size,
                         vz_error *err)
{
    uint8_t *buffer = malloc(COPY_SIZE);
    bool ok = buffer || vz_fail_memory(err);
    while (ok && size) {
        const size_t part = size < COPY_SIZE ? (size_t)size : COPY_SIZE;
        ok = vz_zip_read_of(zip, value, from, buffer, part, err) && vz_zip_write_at(zip, to, buffer, part, err);
        from += part, to += part, size -= part;
    }
    free(buffer);
    return ok;
}

/* The kernel copies large values, or shares their blocks, where the file system can. */
static bool copy_data(vz_zip *zip, const vz_keytree_value *value, uint64_t from, uint64_t to, vz_error *err)
{
    uint64_t size = value->stored;
    while (zip->file >= 0 && size >= COPY_SIZE) {
        const ssize_t done = vz_os_clone_range(vz_zip_file_of(zip, value), from, zip->file, to, size);
        if (done <= 0)
            break; /* what is really wrong shows below */
        from += (uint64_t)done, to += (uint64_t)done, size -= (uint64_t)done;
    }
    return copy_by_hand(zip, value, from, to, size, err);
}

static bool copy_entry(vz_zip *zip, const char *key, const vz_keytree_value *old, vz_keytree_value *new, vz_error *err)
{
    size_t padding;
    uint64_t from;
    vz_buffer header = {0};
    if (!vz_zip_find_data(zip, old, &from, err) || !vz_zip_take_place(zip, key, new, &padding, err))
        return false;
    const bool ok = vz_zip_print_local(&header, key, new, padding, err) &&
                    vz_zip_write_at(zip, new->offset, header.data, header.size, err) &&
                    copy_data(zip, old, from, new->offset + new->lead, err);
    vz_buffer_clear(&header);
    if (!ok)
        vz_zip_drop(new, zip);
    return ok;
}

bool vz_zip_rename_entry(vz_zip *zip, const char *key, vz_keytree_value *value, vz_error *err)
{
    const vz_keytree_value old = *value;
    vz_keytree_value new = old;
    bool done;
    new.flags = vz_zip_name_flags(key);
    new.is_moved = false;
    if (strlen(key) > VZ_ZIP_NAME_MAX)
        return vz_fail(err, VZ_LIMIT, "the key is longer than a name in a zip file can be");
    if (!rename_in_place(zip, key, &new, &done, err) || (!done && !copy_entry(zip, key, &old, &new, err)))
        return false;
    *value = new;
    if (!done)
        vz_zip_drop(&old, zip);
    return true;
}
