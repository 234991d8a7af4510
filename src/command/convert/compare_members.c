/* compare_members.c - the members of two groups: links, and which objects they lead to. */
#include "command/convert/compare_internal.h"
#include "command/convert/copy_internal.h"
#include <stdlib.h>
#include <string.h>

const char *vz_compare_path_of(vz_comparison *v, int side, const H5O_token_t *token, const char *path, bool *known,
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

/* Objects that were met with others are compared only if one of them is new. So each is compared as
 * often as it has partners, and every circle ends. */
static bool compare_hard(vz_comparison *v, const vz_convert_link_record *a, const vz_convert_link_record *b,
                         vz_error *err)
{
    bool known_a, known_b;
    const char *one = vz_compare_path_of(v, SOURCE, &a->info.u.token, v->path, &known_a, err);
    const char *other = one ? vz_compare_path_of(v, TARGET, &b->info.u.token, v->path, &known_b, err) : NULL;
    if (!other)
        return false;
    if (!known_a && !known_b)
        return vz_convert_names_add(&v->objects, v->path, err);
    if (known_a && known_b && strcmp(one, other) == 0)
        return true;
    return vz_compare_differ_texts(v, VZ_DIFFERENCE_IDENTITY, NULL, known_a ? one : NULL, known_b ? other : NULL,
                                   err) &&
           ((known_a && known_b) || vz_convert_names_add(&v->objects, v->path, err));
}

/* ---- links in words ---- */

static bool words_object(hid_t group, const char *name, vz_buffer *out, vz_error *err)
{
    const hid_t object = H5Oopen(group, name, H5P_DEFAULT);
    const H5I_type_t kind = object < 0 ? H5I_BADID : H5Iget_type(object);
    const hid_t type = kind == H5I_DATASET ? H5Dget_type(object) : H5I_INVALID_HID;
    const hid_t space = kind == H5I_DATASET ? H5Dget_space(object) : H5I_INVALID_HID;
    bool ok = vz_words_printf(out, err, "%s",
                              kind == H5I_GROUP      ? "group"
                              : kind == H5I_DATASET  ? "dataset"
                              : kind == H5I_DATATYPE ? "datatype"
                                                     : "object");
    if (type >= 0 && space >= 0)
        ok = ok && vz_words_printf(out, err, " ") && vz_words_type(type, out, err) && vz_words_printf(out, err, " ") &&
             vz_words_extent(space, false, out, err);
    vz_convert_id_close(type);
    vz_convert_id_close(space);
    vz_convert_id_close(object);
    H5Eclear2(H5E_DEFAULT);
    return ok;
}

static bool words_link(hid_t group, const vz_convert_link_record *link, vz_buffer *out, vz_error *err)
{
    if (link->info.type == H5L_TYPE_HARD)
        return words_object(group, link->name, out, err);
    const char *file = NULL, *path = NULL;
    unsigned flags;
    const size_t size = link->info.u.val_size;
    char *value = calloc(1, size + 1);
    bool ok = value || vz_fail_memory(err);
    if (ok && size > 0 && H5Lget_val(group, link->name, value, size, H5P_DEFAULT) < 0)
        *value = '\0';
    if (ok && link->info.type == H5L_TYPE_SOFT)
        ok = vz_words_printf(out, err, "soft link to %s", value);
    else if (ok && link->info.type == H5L_TYPE_EXTERNAL && H5Lunpack_elink_val(value, size, &flags, &file, &path) >= 0)
        ok = vz_words_printf(out, err, "external link to %s in %s", path, file);
    else if (ok)
        ok = vz_words_printf(out, err, "link of class %d", (int)link->info.type);
    free(value);
    H5Eclear2(H5E_DEFAULT);
    return ok;
}

/* NULL: that side has none. */
static bool differ_links(vz_comparison *v, vz_difference_kind kind, const hid_t group[2],
                         const vz_convert_link_record *const link[2], vz_error *err)
{
    vz_buffer text[2] = {0};
    bool ok = true;
    for (int side = 0; ok && side < 2; side++)
        ok = !link[side] || words_link(group[side], link[side], &text[side], err);
    ok = ok &&
         vz_compare_differ_texts(v, kind, NULL, (const char *)text[SOURCE].data, (const char *)text[TARGET].data, err);
    vz_buffer_clear(&text[SOURCE]);
    vz_buffer_clear(&text[TARGET]);
    return ok;
}

static bool compare_link(vz_comparison *v, const hid_t group[2], const vz_convert_link_record *a,
                         const vz_convert_link_record *b, vz_error *err)
{
    bool same = false;
    if (a->info.type == b->info.type && a->info.type == H5L_TYPE_HARD)
        return compare_hard(v, a, b, err);
    v->counts->links++;
    if (a->info.type == b->info.type &&
        !vz_convert_link_same(group[SOURCE], &a->info, group[TARGET], &b->info, a->name, &same, err))
        return false;
    return same || differ_links(v, VZ_DIFFERENCE_LINK, group, (const vz_convert_link_record *const[2]){a, b}, err);
}

/* ---- two lists ---- */

static int by_name(const void *a, const void *b)
{
    const vz_convert_link_record *one = a, *other = b;
    return strcmp(one->name, other->name);
}

static void sort(vz_convert_link_records *links)
{
    if (links->count)
        qsort(links->items, links->count, sizeof *links->items, by_name);
}

static bool is_same_order(const vz_convert_link_records links[2])
{
    for (size_t i = 0; i < links[SOURCE].count; i++)
        if (strcmp(links[SOURCE].items[i].name, links[TARGET].items[i].name) != 0)
            return false;
    return true;
}

static bool compare_pair(vz_comparison *v, const hid_t group[2], const vz_convert_link_record *const link[2],
                         const char *path, vz_error *err)
{
    const vz_convert_link_record *there = link[SOURCE] ? link[SOURCE] : link[TARGET];
    char *name = vz_convert_path_of(path, there->name, err);
    v->path = name;
    const bool ok = name && (link[SOURCE] && link[TARGET] ? compare_link(v, group, link[SOURCE], link[TARGET], err)
                                                          : differ_links(v, VZ_DIFFERENCE_MISSING, group, link, err));
    if (!ok && name)
        vz_error_where(err, NULL, name);
    v->path = path;
    free(name);
    return ok;
}

/* Both are sorted by names. */
static bool compare_lists(vz_comparison *v, const hid_t group[2], const vz_convert_link_records links[2],
                          const char *path, bool *same_names, vz_error *err)
{
    size_t at[2] = {0};
    bool ok = true;
    while (ok && (at[SOURCE] < links[SOURCE].count || at[TARGET] < links[TARGET].count)) {
        const vz_convert_link_record *link[2];
        for (int side = 0; side < 2; side++)
            link[side] = at[side] < links[side].count ? &links[side].items[at[side]] : NULL;
        const int order = !link[SOURCE] ? 1 : !link[TARGET] ? -1 : strcmp(link[SOURCE]->name, link[TARGET]->name);
        if (order > 0)
            link[SOURCE] = NULL;
        else if (order < 0)
            link[TARGET] = NULL;
        at[SOURCE] += link[SOURCE] != NULL;
        at[TARGET] += link[TARGET] != NULL;
        *same_names = *same_names && order == 0;
        ok = compare_pair(v, group, link, path, err);
    }
    return ok;
}

bool vz_compare_members(vz_comparison *v, const hid_t group[2], const char *path, vz_error *err)
{
    const vz_convert_side *const sides[2] = {&v->request->source, &v->request->target};
    vz_convert_link_records links[2] = {0};
    bool ok = true, same_names = true;
    for (int side = 0; ok && side < 2; side++) {
        ok = vz_convert_links_list(group[side], &links[side], err);
        if (ok && sides[side]->is_store && !v->how->goes_on)
            vz_convert_links_drop_skipped(v, group[side], path, &links[side]);
    }
    const bool same_order = ok && links[SOURCE].count == links[TARGET].count && is_same_order(links);
    sort(&links[SOURCE]);
    sort(&links[TARGET]);
    ok = ok && compare_lists(v, group, links, path, &same_names, err);
    if (ok && same_names && !same_order && v->how->with_order)
        ok = vz_compare_differ_texts(v, VZ_DIFFERENCE_ORDER, "members", NULL, NULL, err);
    vz_convert_links_clear(&links[SOURCE]);
    vz_convert_links_clear(&links[TARGET]);
    return ok;
}
