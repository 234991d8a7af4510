/* compare.c - what is different in two files? First the links, which tell the objects' names, then
 * the objects. */
#include "command/convert/compare_internal.h"
#include "command/convert/copy_internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Links below a path if both are groups; the list of objects grows meanwhile. */
static bool compare_links(vz_comparison *v, const char *path, vz_error *err)
{
    hid_t object[2];
    vz_error failed = VZ_ERROR_NONE;
    bool ok = vz_compare_open(v, path, object, &failed);
    v->path = path;
    if (!ok)
        ok = v->how->goes_on || vz_compare_unreadable(v, &failed, err); /* it is reported later */
    else if (H5Iget_type(object[SOURCE]) == H5I_GROUP && H5Iget_type(object[TARGET]) == H5I_GROUP)
        ok = vz_compare_members(v, object, path, err);
    vz_compare_close(object);
    return ok;
}

static bool begin_root(vz_comparison *v, vz_error *err)
{
    hid_t object[2];
    bool ok = vz_compare_open(v, "/", object, err);
    for (int side = 0; ok && side < 2; side++) {
        H5O_info2_t info;
        bool known;
        ok = H5Oget_info3(object[side], &info, H5O_INFO_BASIC) >= 0 ||
             vz_convert_h5_fail(err, "the object tells nothing of itself");
        ok = ok && vz_compare_path_of(v, side, &info.token, "/", &known, err);
    }
    vz_compare_close(object);
    return ok && vz_convert_names_add(&v->objects, "/", err);
}

static bool compare_all(vz_comparison *v, vz_error *err)
{
    bool ok = begin_root(v, err);
    for (size_t i = 0; ok && i < v->objects.count; i++)
        if (!(ok = compare_links(v, v->objects.items[i], err)))
            vz_error_where(err, NULL, v->objects.items[i]);
    for (size_t i = 0; ok && i < v->objects.count; i++)
        if (!(ok = vz_compare_object(v, v->objects.items[i], err)))
            vz_error_where(err, NULL, v->objects.items[i]);
    return ok;
}

static bool open_sides(vz_comparison *v, const vz_convert_side *const sides[2], vz_error *err)
{
    for (int side = 0; side < 2; side++) {
        v->begin[side] = v->how->begin[side] ? v->how->begin[side] : "";
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

bool vz_convert_compare(const vz_convert_request *request, const vz_convert_comparing *how, vz_convert_counts *counts,
                        vz_error *err)
{
    const vz_convert_side *const sides[2] = {&request->source, &request->target};
    const vz_convert_watch *watch = &request->watch;
    vz_comparison v = {.request = request, .how = how, .counts = counts, .file = {-1, -1}};
    vz_convert_counts survey = {0};
    *counts = (vz_convert_counts){0};
    bool ok = open_sides(&v, sides, err);
    if (ok && watch->begin) {
        ok = vz_convert_survey_file(v.file[SOURCE], &survey, err);
        watch->begin(watch->context, "comparing", survey.bytes);
    }
    ok = ok && compare_all(&v, err);
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

/* ---- a copy and its source: the first difference is an error ---- */

static bool fail(void *context, const vz_difference *difference, vz_error *err)
{
    static const char *const names[2] = {"the source", "the target"};
    vz_buffer text = {0};
    (void)context;
    if (vz_convert_difference_text(difference, names, &text, err))
        vz_fail(err, VZ_CHANGED, "%s", (const char *)text.data);
    vz_buffer_clear(&text);
    vz_error_where(err, NULL, difference->path);
    return false;
}

bool vz_convert_verify(const vz_convert_request *request, vz_convert_counts *counts, vz_error *err)
{
    return vz_convert_compare(request, &(vz_convert_comparing){.report = fail, .with_order = true}, counts, err);
}
