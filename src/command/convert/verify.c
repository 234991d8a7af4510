/* verify.c - is all of the source in the target, and nothing else? First the links, which tell the
 * objects' names, then the objects. */
#include "command/convert/copy_internal.h"
#include "command/convert/verify_internal.h"
#include <stdlib.h>
#include <string.h>

/* Which object it is, as text: its first path. *known: it was met before, under that path. */
static const char *path_by_token(vz_verification *v, int side, const H5O_token_t *token, const char *path, bool *known,
                                 vz_error *err)
{
    char text[VZ_TOKEN_TEXT];
    vz_convert_token_text(token, text);
    char *first = vz_strmap_get(v->paths[side], text);
    *known = first != NULL;
    if (first)
        return first;
    first = strdup(path);
    if (!first || !vz_strmap_put(v->paths[side], text, first, err)) {
        free(first);
        vz_fail_memory(err);
        return NULL;
    }
    return first;
}

static bool verify_hard(vz_verification *v, const vz_convert_link_record *a, const vz_convert_link_record *b,
                        const char *path, vz_error *err)
{
    bool known_a, known_b;
    const char *one = path_by_token(v, SOURCE, &a->info.u.token, path, &known_a, err);
    const char *other = one ? path_by_token(v, TARGET, &b->info.u.token, path, &known_b, err) : NULL;
    if (!other)
        return false;
    if (known_a != known_b || strcmp(one, other) != 0)
        return vz_differ(err, "is the same object as %.150s in the source, as %.150s in the target", one, other);
    return known_a || vz_convert_names_add(&v->objects, path, err);
}

static bool verify_link(vz_verification *v, const hid_t group[2], const vz_convert_link_record *a,
                        const vz_convert_link_record *b, const char *path, vz_error *err)
{
    bool same;
    if (a->info.type != b->info.type)
        return vz_differ(err, "is a link of another type in the target");
    if (a->info.type == H5L_TYPE_HARD)
        return verify_hard(v, a, b, path, err);
    v->counts->links++;
    return vz_convert_link_same(group[SOURCE], &a->info, group[TARGET], &b->info, a->name, &same, err) &&
           (same || vz_differ(err, "is a link to something else in the target"));
}

static bool verify_lists(vz_verification *v, const hid_t group[2], const vz_convert_link_records *a,
                         const vz_convert_link_records *b, const char *path, vz_error *err)
{
    if (a->count != b->count)
        return vz_differ(err, "has %zu members in the source, %zu in the target", a->count, b->count);
    bool ok = true;
    for (size_t i = 0; ok && i < a->count; i++) {
        char *name = vz_convert_path_of(path, a->items[i].name, err);
        ok = name && (strcmp(a->items[i].name, b->items[i].name) == 0 ||
                      vz_differ(err, "is not in its place in the target, which has %.200s there", b->items[i].name));
        ok = ok && verify_link(v, group, &a->items[i], &b->items[i], name, err);
        if (!ok)
            vz_error_where(err, NULL, name);
        free(name);
    }
    return ok;
}

static bool verify_members(vz_verification *v, const hid_t group[2], const char *path, vz_error *err)
{
    const vz_convert_side *const sides[2] = {&v->request->source, &v->request->target};
    vz_convert_link_records links[2] = {0};
    bool ok = true;
    for (int side = 0; ok && side < 2; side++) {
        ok = vz_convert_links_list(group[side], &links[side], err);
        if (ok && sides[side]->is_store)
            vz_convert_links_drop_skipped(v, group[side], path, &links[side]);
    }
    ok = ok && verify_lists(v, group, &links[SOURCE], &links[TARGET], path, err);
    vz_convert_links_clear(&links[SOURCE]);
    vz_convert_links_clear(&links[TARGET]);
    return ok;
}

/* Links below a path if both are groups; the list of objects grows meanwhile. */
static bool verify_links(vz_verification *v, const char *path, vz_error *err)
{
    hid_t object[2];
    bool ok = true;
    for (int side = 0; side < 2; side++) {
        object[side] = H5Oopen(v->file[side], path, H5P_DEFAULT);
        ok = ok && (object[side] >= 0 || vz_convert_h5_fail(err, "cannot be opened"));
    }
    if (ok && H5Iget_type(object[SOURCE]) != H5Iget_type(object[TARGET]))
        ok = vz_differ(err, "is an object of another kind in the target");
    else if (ok && H5Iget_type(object[SOURCE]) == H5I_GROUP)
        ok = verify_members(v, object, path, err);
    vz_convert_id_close(object[SOURCE]);
    vz_convert_id_close(object[TARGET]);
    return ok;
}

static bool begin_root(vz_verification *v, vz_error *err)
{
    for (int side = 0; side < 2; side++) {
        H5O_info2_t info;
        bool known;
        if (H5Oget_info3(v->file[side], &info, H5O_INFO_BASIC) < 0)
            return vz_convert_h5_fail(err, "the root group tells nothing of itself");
        if (!path_by_token(v, side, &info.token, "/", &known, err))
            return false;
    }
    return vz_convert_names_add(&v->objects, "/", err);
}

static bool verify_all(vz_verification *v, vz_error *err)
{
    bool ok = begin_root(v, err);
    for (size_t i = 0; ok && i < v->objects.count; i++)
        if (!(ok = verify_links(v, v->objects.items[i], err)))
            vz_error_where(err, NULL, v->objects.items[i]);
    for (size_t i = 0; ok && i < v->objects.count; i++)
        if (!(ok = vz_verify_object(v, v->objects.items[i], err)))
            vz_error_where(err, NULL, v->objects.items[i]);
    return ok;
}

static bool open_sides(vz_verification *v, const vz_convert_side *const sides[2], vz_error *err)
{
    for (int side = 0; side < 2; side++) {
        v->paths[side] = vz_strmap_new();
        v->file[side] = v->paths[side] ? vz_side_open(sides[side], err) : H5I_INVALID_HID;
        v->file_name[side] = v->file[side] < 0 ? NULL : vz_side_name(v->file[side]);
        if (v->file_name[side])
            continue;
        vz_fail_memory(err); /* unless it could not be opened, which was reported first */
        vz_error_where(err, sides[side]->shown ? sides[side]->shown : sides[side]->path, NULL);
        return false;
    }
    return true;
}

bool vz_convert_verify(const vz_convert_request *request, vz_convert_counts *counts, vz_error *err)
{
    const vz_convert_side *const sides[2] = {&request->source, &request->target};
    const vz_convert_watch *watch = &request->watch;
    vz_verification v = {.request = request, .counts = counts, .file = {-1, -1}};
    vz_convert_counts survey = {0};
    *counts = (vz_convert_counts){0};
    bool ok = open_sides(&v, sides, err);
    if (ok && watch->begin) {
        ok = vz_convert_survey_file(v.file[SOURCE], &survey, err);
        watch->begin(watch->context, "comparing", survey.bytes);
    }
    ok = ok && verify_all(&v, err);
    if (watch->end)
        watch->end(watch->context);
    if (!ok)
        vz_error_where(err, request->target.shown ? request->target.shown : request->target.path, NULL);
    for (int side = 0; side < 2; side++) {
        if (v.file[side] >= 0)
            H5Fclose(v.file[side]);
        free(v.file_name[side]);
        if (v.paths[side])
            vz_strmap_free(v.paths[side], free);
    }
    vz_convert_name_list_clear(&v.objects);
    return ok;
}
