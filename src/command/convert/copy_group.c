/* copy_group.c - groups: what is in one, link by link; and the whole copy. */
#include "command/convert/convert_internal.h"
#include "command/convert/copy_internal.h"
#include <stdlib.h>
#include <string.h>

static bool copy_group(vz_convert_job *c, hid_t from, hid_t group, const char *name, hid_t lcpl, const char *path,
                       vz_error *err)
{
    const hid_t gcpl = vz_convert_copy_group_list(from, err);
    const hid_t made = gcpl < 0 ? gcpl : H5Gcreate2(group, name, lcpl, gcpl, H5P_DEFAULT);
    bool ok = made >= 0 || vz_convert_h5_fail(err, "the group cannot be created");
    ok = ok && vz_convert_copy_object_header(c, from, made, path, err) && vz_convert_names_add(&c->groups, path, err);
    vz_convert_id_close(made);
    vz_convert_id_close(gcpl);
    c->counts->groups++;
    return ok;
}

static bool copy_rest_of(vz_convert_job *c, hid_t from, const char *path, vz_error *err)
{
    const hid_t made = H5Oopen(c->to, path, H5P_DEFAULT);
    const bool ok = made >= 0 ? vz_convert_copy_object_header(c, from, made, path, err)
                              : vz_convert_h5_fail(err, "is not in the target");
    vz_convert_id_close(made);
    return ok;
}

static bool copy_object(vz_convert_job *c, hid_t from, const char *token, hid_t group, const char *name, hid_t lcpl,
                        const char *path, vz_error *err)
{
    char why[H5VL_ZARR_TEXT_SIZE];
    if (!vz_convert_expect_large_attributes(c, from, err))
        return false;
    switch (H5Iget_type(from)) {
    case H5I_GROUP:
        return vz_seen_add(c, token, path, err) && copy_group(c, from, group, name, lcpl, path, err);
    case H5I_DATASET:
        if (!vz_convert_is_understood(from, why)) {
            vz_convert_note_skipped(&c->request->watch, c->counts, path, why);
            return true;
        }
        return vz_seen_add(c, token, path, err) && vz_convert_copy_dataset(c, from, group, name, lcpl, path, err);
    case H5I_DATATYPE:
        return vz_convert_copy_committed(c, from, token, path, group, name, lcpl, err) &&
               copy_rest_of(c, from, path, err);
    default:
        return vz_fail(err, VZ_UNSUPPORTED, "an object of a kind that cannot be copied");
    }
}

/* Another name of what is there already. */
static bool link_again(vz_convert_job *c, vz_seen *met, hid_t group, const char *name, hid_t lcpl, const char *path,
                       vz_error *err)
{
    c->counts->links++;
    if (met->path)
        return H5Lcreate_hard(c->to, met->path, group, name, lcpl, H5P_DEFAULT) >= 0 ||
               vz_convert_h5_fail(err, "a second name of %.300s cannot be made", met->path);
    met->path = strdup(path); /* a committed datatype that was used before */
    if (!met->path)
        return vz_fail_memory(err);
    const bool ok = H5Olink(met->type, group, name, lcpl, H5P_DEFAULT) >= 0;
    vz_convert_id_close(met->type);
    met->type = H5I_INVALID_HID;
    return ok || vz_convert_h5_fail(err, "the datatype cannot be given its name");
}

static bool copy_hard(vz_convert_job *c, hid_t from, hid_t to, const vz_convert_link_record *link, const char *path,
                      hid_t lcpl, vz_error *err)
{
    char token[VZ_TOKEN_TEXT];
    vz_convert_token_text(&link->info.u.token, token);
    vz_seen *met = vz_seen_find(c, token);
    const bool is_named = met && met->path;
    if (is_named)
        return link_again(c, met, to, link->name, lcpl, path, err);
    const hid_t object = H5Oopen(from, link->name, H5P_DEFAULT);
    if (object < 0) {
        vz_convert_h5_fail(err, "cannot be opened");
        return vz_convert_copy_source_failed(c, err);
    }
    const bool ok = met ? link_again(c, met, to, link->name, lcpl, path, err) && copy_rest_of(c, object, path, err)
                        : copy_object(c, object, token, to, link->name, lcpl, path, err);
    vz_convert_id_close(object);
    return ok;
}

static bool copy_link(vz_convert_job *c, hid_t from, hid_t to, const vz_convert_link_record *link, const char *path,
                      vz_error *err)
{
    const hid_t lcpl = link->info.cset == H5T_CSET_UTF8 ? c->lcpl_utf8 : c->lcpl_ascii;
    if (link->info.type == H5L_TYPE_HARD)
        return copy_hard(c, from, to, link, path, lcpl, err);
    c->counts->links++;
    return vz_convert_link_copy(from, link->name, &link->info, to, lcpl, err);
}

static bool copy_members(vz_convert_job *c, const char *path, vz_error *err)
{
    vz_convert_link_records links = {0};
    const hid_t from = H5Gopen2(c->from, path, H5P_DEFAULT), to = H5Gopen2(c->to, path, H5P_DEFAULT);
    bool ok = (from >= 0 && to >= 0) || vz_convert_h5_fail(err, "the group cannot be opened");
    ok = ok && (vz_convert_links_list(from, &links, err) || vz_convert_copy_source_failed(c, err));
    for (size_t i = 0; ok && i < links.count; i++) {
        char *name = vz_convert_path_of(path, links.items[i].name, err);
        ok = name && copy_link(c, from, to, &links.items[i], name, err);
        if (!ok)
            vz_error_where(err, NULL, name);
        free(name);
    }
    vz_convert_links_clear(&links);
    vz_convert_id_close(to);
    vz_convert_id_close(from);
    return ok;
}

/* ---- all of it ---- */

static bool begin_root(vz_convert_job *c, vz_error *err)
{
    char token[VZ_TOKEN_TEXT];
    const hid_t from = H5Gopen2(c->from, "/", H5P_DEFAULT), to = H5Gopen2(c->to, "/", H5P_DEFAULT);
    bool ok = (from >= 0 && to >= 0) || vz_convert_h5_fail(err, "the root group cannot be opened");
    ok = ok && vz_convert_object_token(from, token, err) && vz_seen_add(c, token, "/", err) &&
         vz_convert_copy_object_header(c, from, to, "/", err) && vz_convert_names_add(&c->groups, "/", err);
    c->counts->groups++;
    vz_convert_id_close(to);
    vz_convert_id_close(from);
    return ok;
}

/* The list grows while groups are gone through: breadth first, so that no depth is too much. */
static bool copy_groups(vz_convert_job *c, vz_error *err)
{
    for (size_t i = 0; i < c->groups.count; i++) {
        if (!copy_members(c, c->groups.items[i], err)) {
            vz_error_where(err, NULL, c->groups.items[i]);
            return false;
        }
        free(c->groups.items[i]);
        c->groups.items[i] = NULL;
    }
    return true;
}

static bool copy_waiting(vz_convert_job *c, const char *path, vz_error *err)
{
    bool waits;
    const hid_t from = H5Oopen(c->from, path, H5P_DEFAULT), to = H5Oopen(c->to, path, H5P_DEFAULT);
    bool ok = (from >= 0 && to >= 0) || vz_convert_h5_fail(err, "cannot be opened again");
    if (ok && H5Iget_type(from) == H5I_DATASET)
        ok = vz_convert_copy_dataset_later(c, from, to, path, err);
    ok = ok && vz_convert_copy_attributes(c, from, to, true, &waits, err);
    vz_convert_id_close(to);
    vz_convert_id_close(from);
    if (!ok)
        vz_error_where(err, NULL, path);
    return ok;
}

/* Committed datatypes whose names were deleted live on in their users. */
static bool copy_nameless(vz_convert_job *c, vz_error *err)
{
    const char *key;
    void *value;
    bool ok = true, waits;
    for (size_t at = 0; ok && vz_strmap_next(c->met, &at, &key, &value);) {
        const vz_seen *met = value;
        if (met->path)
            continue;
        const hid_t from = H5Oopen_by_token(c->from, met->token);
        ok = (from >= 0 || vz_convert_h5_fail(err, "a committed datatype without a name cannot be opened")) &&
             vz_convert_copy_attributes(c, from, met->type, true, &waits, err);
        vz_convert_id_close(from);
    }
    return ok;
}

bool vz_convert_copy_all(vz_convert_job *c, vz_error *err)
{
    bool ok = begin_root(c, err) && copy_groups(c, err);
    for (size_t i = 0; ok && i < c->waiting.count; i++)
        ok = copy_waiting(c, c->waiting.items[i], err);
    ok = ok && copy_nameless(c, err);
    if (ok)
        vz_convert_copy_tell_notes(c);
    return ok;
}
