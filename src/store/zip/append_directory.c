/* append_directory.c - publishes in the file itself what was put. A directory of all values and
 * its end record are written behind the last entry. The file is cut off there, which takes the
 * guard away. */
#include "store/zip/state_internal.h"
#include "store/zip/pages_internal.h"
#include <libdeflate.h>

/* The directory, and behind it the end record, as bytes. */
typedef struct printer {
    vz_zip *zip;
    vz_buffer records;
    uint64_t count, live; /* entries, and the bytes of them */
} printer;

static bool name_it(const char *key, bool is_hidden, vz_keytree_value *value, void *context, vz_error *err)
{
    vz_zip *zip = context;
    const bool is_elsewhere = value->is_moved || value->place == VZ_KEYTREE_SPOOLED;
    if (is_hidden || !is_elsewhere || vz_zip_rename_entry(zip, key, value, err))
        return true;
    vz_error_where(err, zip->base.path, key);
    return false;
}

bool vz_zip_name_entries(vz_zip *zip, vz_error *err)
{
    return vz_keytree_each_changed(zip->tree, name_it, zip, err);
}

static bool print_value(const char *key, bool is_hidden, vz_keytree_value *value, void *context, vz_error *err)
{
    printer *p = context;
    if (is_hidden)
        return true;
    p->count++;
    p->live += VZ_ZIP_LOCAL_SIZE + strlen(key) + value->stored;
    return vz_zip_print_central(&p->records, key, value, value->offset, err);
}

static bool write_directory(vz_zip *zip, printer *p, vz_zip_end *end, vz_error *err)
{
    vz_zip_session *s = &zip->session;
    *end = (vz_zip_end){
        .directory = s->room.frontier, .count = p->count, .is_ours = true, .generation = zip->directory.generation + 1};
    if (vz_zip_is_one_file(zip) && !vz_zip_index_print(&p->records, end, err))
        return false;
    end->size = p->records.size;
    end->crc = libdeflate_crc32(0, p->records.data, p->records.size);
    if (!vz_zip_print_end(&p->records, end, err))
        return false;
    s->coming = 0;
    return vz_zip_move_guard(zip, end->after, err) &&
           vz_zip_write_at(zip, end->directory, p->records.data, p->records.size, err);
}

bool vz_zip_append(vz_zip *zip, vz_error *err)
{
    vz_zip_end end;
    printer p = {.zip = zip};
    const bool ok = vz_zip_name_entries(zip, err) && vz_keytree_each(zip->tree, print_value, &p, err) &&
                    write_directory(zip, &p, &end, err) && vz_zip_drop_guard(zip, &end, err);
    vz_buffer_clear(&p.records);
    if (!ok)
        return false;
    vz_keytree_shown(zip->tree);
    zip->end = end.directory;
    zip->live = p.live + p.records.size;
    zip->session.forks = vz_zip_forks();
    zip->session.removed.size = 0;
    zip->session.is_long = false;
    zip->changed = false;
    zip->settled = false;
    zip->unsynced = true;
    return true;
}
