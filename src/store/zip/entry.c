/* entry.c - see read.h. */
#include "store/zip/read.h"
#include "base/os/file.h"
#include "store/zip/state_internal.h"
#include "store/zip/central_internal.h"
#include <stdlib.h>

#define EXTRA_MOST 64 /* bytes of extra fields that other programs put into local headers */

bool vz_zip_entry_find(vz_store *store, const char *key, vz_zip_entry *entry, bool *found, vz_error *err)
{
    vz_keytree_value value;
    if (!vz_zip_look_up(vz_zip_of(store), key, &value, found, err))
        return false;
    if (*found)
        *entry = (vz_zip_entry){.local = value.offset,
                                .stored = value.stored,
                                .size = value.size,
                                .lead = value.lead,
                                .crc = value.crc,
                                .method = value.method,
                                .flags = value.flags,
                                .is_unproven = value.is_unproven};
    return true;
}

void vz_zip_entry_remember(vz_store *store, const char *key, uint32_t lead)
{
    vz_zip *zip = vz_zip_of(store);
    vz_os_rwlock_write(&zip->lock);
    vz_keytree_value *value = zip->tree ? vz_keytree_find(zip->tree, key) : NULL;
    if (value)
        value->lead = lead;
    else if (!zip->tree)
        vz_zip_pages_remember(zip->pages, key, lead);
    vz_os_rwlock_unlock(&zip->lock);
}

bool vz_zip_entry_check(const vz_zip_entry *entry, vz_error *err)
{
    return vz_zip_check_method(entry->method, entry->flags, err) &&
           (entry->size <= VZ_ZIP_VALUE_MAX ||
            vz_fail(err, VZ_LIMIT, "an entry of %llu bytes", (unsigned long long)entry->size));
}

bool vz_zip_entry_is_stored(const vz_zip_entry *entry)
{
    return entry->method == VZ_ZIP_STORED;
}

uint32_t vz_zip_entry_guess(const char *key, const vz_zip_entry *entry)
{
    const uint32_t padding = entry->stored < VZ_ZIP_ALIGNED_FROM ? 0 : VZ_ZIP_ALIGNMENT + VZ_ZIP_PADDING_MIN;
    return VZ_ZIP_LOCAL_SIZE + (uint32_t)strlen(key) + EXTRA_MOST + padding;
}

size_t vz_zip_entry_head(const char *key)
{
    return VZ_ZIP_LOCAL_SIZE + strlen(key);
}

bool vz_zip_entry_measure(vz_zip_entry *entry, const char *key, vz_bytes head, uint64_t size, vz_error *err)
{
    if (head.size < vz_zip_entry_head(key))
        return vz_fail(err, VZ_CORRUPT, "the entry lies outside of the zip file");
    if (entry->is_unproven && !vz_zip_is_header_of(head.data, key, entry->method, entry->crc))
        return vz_fail(err, VZ_CORRUPT, "no entry of that name is where the directory says");
    return vz_zip_measure_local(head.data, entry->local, entry->stored, size, &entry->lead, err);
}

static bool append(vz_buffer *out, const uint8_t *data, size_t size, vz_error *err)
{
    uint8_t *place = vz_os_range_room(out, size, err);
    if (place && size > 0)
        memcpy(place, data, size);
    out->size += place ? size : 0;
    return place != NULL;
}

bool vz_zip_entry_unpack(const vz_zip_entry *entry, vz_bytes stored, vz_range range, vz_buffer *out, vz_error *err)
{
    uint64_t first;
    size_t size = 0;
    if (!vz_os_range_resolve(entry->size, range, &first, &size, err))
        return false;
    if (entry->method == VZ_ZIP_STORED && entry->size != stored.size)
        return vz_fail(err, VZ_CORRUPT, "the entry is damaged");
    uint8_t *whole = entry->method == VZ_ZIP_STORED ? NULL : malloc(entry->size + 1);
    bool ok = entry->method == VZ_ZIP_STORED ||
              (whole ? vz_zip_inflate(stored, whole, entry->size, err) : vz_fail_memory(err));
    const uint8_t *data = whole ? whole : stored.data;
    ok = ok && vz_zip_check_sum(data, entry->size, entry->crc, err) && append(out, data + first, size, err);
    free(whole);
    return ok;
}
