/* name_list.c - names and tokens: what is in a group, in which order, and which object it is. */
#include "command/convert/convert_internal.h"
#include "base/util/c_library.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void vz_convert_token_text(const H5O_token_t *token, char text[VZ_TOKEN_TEXT])
{
    const uint8_t *bytes = (const uint8_t *)token;
    for (size_t i = 0; i < sizeof *token; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
}

bool vz_convert_object_token(hid_t object, char text[VZ_TOKEN_TEXT], vz_error *err)
{
    H5O_info2_t info;
    if (H5Oget_info3(object, &info, H5O_INFO_BASIC) < 0)
        return vz_convert_h5_fail(err, "an object tells nothing of itself");
    vz_convert_token_text(&info.token, text);
    return true;
}

char *vz_convert_path_of(const char *group, const char *name, vz_error *err)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s", strcmp(group, "/") == 0 ? "" : group, name) >= 0)
        return path;
    vz_fail_memory(err);
    return NULL;
}

/* ---- lists ---- */

static bool make_room(void **items, size_t size, size_t count, size_t *capacity, vz_error *err)
{
    if (count < *capacity)
        return true;
    const size_t wanted = *capacity ? 2 * *capacity : 16;
    void *more = vz_realloc_items(*items, wanted, size);
    if (!more)
        return vz_fail_memory(err);
    *items = more;
    *capacity = wanted;
    return true;
}

bool vz_convert_names_add(vz_convert_name_list *names, const char *name, vz_error *err)
{
    void *items = names->items;
    const bool ok = make_room(&items, sizeof *names->items, names->count, &names->capacity, err);
    names->items = items;
    if (!ok || !(names->items[names->count] = strdup(name)))
        return vz_fail_memory(err);
    names->count++;
    return true;
}

void vz_convert_name_list_clear(vz_convert_name_list *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->items[i]);
    free(names->items);
    *names = (vz_convert_name_list){0};
}

typedef struct listing {
    vz_convert_link_records *links;
    vz_convert_name_list *names;
    vz_error *err;
} listing;

static herr_t take_link(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    listing *l = context;
    vz_convert_link_records *links = l->links;
    (void)group;
    void *items = links->items;
    const bool ok = make_room(&items, sizeof *links->items, links->count, &links->capacity, l->err);
    links->items = items;
    if (!ok || !(links->items[links->count].name = strdup(name)))
        return -1;
    links->items[links->count++].info = *info;
    return 0;
}

static bool keeps_order(hid_t list, herr_t (*ask)(hid_t, unsigned *), bool *keeps, vz_error *err)
{
    unsigned flags = 0;
    const bool ok = list >= 0 && ask(list, &flags) >= 0;
    vz_convert_id_close(list);
    *keeps = flags & H5P_CRT_ORDER_TRACKED;
    return ok || vz_convert_h5_fail(err, "its creation properties cannot be read");
}

bool vz_convert_links_list(hid_t group, vz_convert_link_records *links, vz_error *err)
{
    bool by_order = false;
    vz_error failed = VZ_ERROR_NONE;
    listing l = {.links = links, .err = &failed};
    *links = (vz_convert_link_records){0};
    if (!keeps_order(H5Gget_create_plist(group), H5Pget_link_creation_order, &by_order, err))
        return false;
    if (H5Literate2(group, by_order ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME, H5_ITER_INC, NULL, take_link, &l) >= 0)
        return true;
    return failed.class ? vz_fail_memory(err) : vz_convert_h5_fail(err, "its members cannot be listed");
}

void vz_convert_links_clear(vz_convert_link_records *links)
{
    for (size_t i = 0; i < links->count; i++)
        free(links->items[i].name);
    free(links->items);
    *links = (vz_convert_link_records){0};
}

static herr_t take_attribute(hid_t object, const char *name, const H5A_info_t *info, void *context)
{
    listing *l = context;
    (void)object, (void)info;
    return vz_convert_names_add(l->names, name, l->err) ? 0 : -1;
}

static hid_t creation_list(hid_t object)
{
    switch (H5Iget_type(object)) {
    case H5I_DATASET:
        return H5Dget_create_plist(object);
    case H5I_DATATYPE:
        return H5Tget_create_plist(object);
    default:
        return H5Gget_create_plist(object);
    }
}

bool vz_convert_attributes_list(hid_t object, vz_convert_name_list *names, vz_error *err)
{
    bool by_order = false;
    vz_error failed = VZ_ERROR_NONE;
    listing l = {.names = names, .err = &failed};
    *names = (vz_convert_name_list){0};
    if (!keeps_order(creation_list(object), H5Pget_attr_creation_order, &by_order, err))
        return false;
    /* a store looks for users of a dimension scale in groups below when it is asked for them */
    if (H5Aexists(object, "REFERENCE_LIST") < 0)
        return vz_convert_h5_fail(err, "its attributes cannot be listed");
    hsize_t at = 0;
    if (H5Aiterate2(object, by_order ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME, H5_ITER_INC, &at, take_attribute, &l) >= 0)
        return true;
    return failed.class ? vz_fail_memory(err) : vz_convert_h5_fail(err, "its attributes cannot be listed");
}
