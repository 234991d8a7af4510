/* zarr_link_read.c - reads zarr_link as other programs wrote it. */
#include "hdf5/dialects/dialects_internal.h"
#include "hdf5/dialects/zarr_link.h"
#include "hierarchy/edit/edit.h"
#include "hdf5/references/references.h"
#include <stdio.h>
#include <stdlib.h>

/* Looking for a target in this store may load groups, whose links are read in turn. */
enum { MAX_NESTED = 8 };
static unsigned nested;

typedef struct entry {
    const char *name, *source;
    char *path; /* absolute; heap */
} entry;

static bool add_soft(vz_node *group, const entry *e, vz_error *err)
{
    return vz_edit_add_foreign(group, e->name, VZ_LINK_SOFT, 0,
                               (vz_bytes){.data = (const uint8_t *)e->path, .size = strlen(e->path)}, err);
}

/* The value of an external link. `file`: as HDF5 looks for it, absolute or beside this store. */
static bool make_value(const char *file, const char *path, vz_buffer *value, vz_error *err)
{
    return vz_buffer_append(value, "", 1, err) && vz_buffer_append(value, file, strlen(file) + 1, err) &&
           vz_buffer_append(value, path, strlen(path) + 1, err);
}

static bool add_external(vz_node *group, const entry *e, const char *file, vz_error *err)
{
    vz_buffer value = {0};
    const bool ok = make_value(file, e->path, &value, err) &&
                    vz_edit_add_foreign(group, e->name, VZ_LINK_USER, VZ_LINK_CLASS_EXTERNAL,
                                        (vz_bytes){.data = value.data, .size = value.size}, err);
    vz_buffer_clear(&value);
    return ok;
}

static bool is_here(vz_node *group, const char *path)
{
    vz_error ignored = VZ_ERROR_NONE;
    if (nested >= MAX_NESTED)
        return false;
    nested++;
    char *found = vz_source_path(group, path, &ignored);
    nested--;
    free(found);
    return found != NULL;
}

static bool add(vz_node *group, const entry *e, vz_error *err)
{
    vz_source_kind kind;
    char *file;
    if (!vz_source_is_outside(group->hierarchy, e->source, &file, err))
        return false;
    if (file) {
        const bool added = add_external(group, e, file, err);
        free(file);
        return added;
    }
    if (!vz_source_find(group->hierarchy, e->source, &kind, &file, err))
        return false;
    const bool here = kind == VZ_SOURCE_THIS_STORE || (kind == VZ_SOURCE_MISSING && is_here(group, e->path));
    const bool ok = here ? add_soft(group, e, err) : add_external(group, e, file, err);
    free(file);
    return ok;
}

/* NULL where it is none; `otherwise` where there is no such key, or null. */
static const char *text_of(const vz_json *json, const char *key, const char *otherwise)
{
    size_t length = 0;
    const vz_json *value = vz_json_get(json, key);
    if (!value || vz_json_kind_of(value) == VZ_JSON_NULL)
        return otherwise;
    const char *text = vz_json_get_string(value, &length);
    return text && strlen(text) == length ? text : NULL;
}

static bool read_entry(vz_node *group, const vz_json *json, vz_error *err)
{
    const char *path = text_of(json, "path", "/");
    entry e = {.name = text_of(json, "name", NULL), .source = text_of(json, "source", ".")};
    if (!e.name || !e.source || !path)
        return true;
    if (asprintf(&e.path, "%s%s", *path == '/' ? "" : "/", path) < 0)
        return vz_fail_memory(err);
    const bool ok = add(group, &e, err);
    free(e.path);
    return ok;
}

bool vz_dialect_links_read(vz_node *group, vz_error *err)
{
    const vz_json *list = vz_node_attribute(group, vz_dialect_links_attribute(group));
    for (size_t i = 0; i < vz_json_length(list); i++)
        if (!read_entry(group, vz_json_at(list, i), err))
            return false;
    return vz_dialect_lindi_links(group, err);
}

/* ---- when one is followed ---- */

static bool become_soft(vz_link *link, const char *path, vz_error *err)
{
    char *target = strdup(path);
    if (!target)
        return vz_fail_memory(err);
    free(link->value);
    link->value = NULL;
    link->value_size = 0;
    link->target = target;
    link->kind = VZ_LINK_SOFT;
    return true;
}

static bool lead_elsewhere(vz_link *link, const char *file, const char *path, vz_error *err)
{
    vz_buffer value = {0};
    if (!make_value(file, path, &value, err)) {
        vz_buffer_clear(&value);
        return false;
    }
    free(link->value);
    link->value = value.data;
    link->value_size = value.size;
    return true;
}

/* The source as it stood in the attribute, or another one that means the same. */
static char *source_of(const char *file, vz_error *err)
{
    char *source = NULL;
    if (asprintf(&source, "%s%s", *file == '/' ? "" : "../", file) >= 0)
        return source;
    vz_fail_memory(err);
    return NULL;
}

bool vz_dialect_links_decide(vz_node *group, vz_link *link, vz_error *err)
{
    if (!link->is_foreign || link->kind != VZ_LINK_USER || link->class != VZ_LINK_CLASS_EXTERNAL)
        return true;
    const char *file = (const char *)link->value + 1, *path = file + strlen(file) + 1;
    vz_source_kind kind = VZ_SOURCE_MISSING;
    char *found = NULL, *source = source_of(file, err);
    bool ok = source && vz_source_find(group->hierarchy, source, &kind, &found, err);
    if (ok && (kind == VZ_SOURCE_THIS_STORE || (kind == VZ_SOURCE_MISSING && is_here(group, path))))
        ok = become_soft(link, path, err);
    else if (ok && kind == VZ_SOURCE_OTHER_STORE && strcmp(found, file) != 0)
        ok = lead_elsewhere(link, found, path, err);
    free(found);
    free(source);
    return ok;
}
