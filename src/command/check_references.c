/* check_references.c - do links, further names and references lead to something? Those within the store are followed,
 * as the connector does, through moves that were noted; what another file holds is not looked at. */
#include "command/check.h"
#include "command/subject.h"
#include <stdlib.h>

#define REMEMBERED_MAX 100000 /* targets whose answer is kept, and references in elements that are looked at */
#define ITEM_VALUES    65536  /* values in the text of one element */

struct vz_check_targets {
    vz_strmap *known; /* "since path" -> &yes or &no */
    vz_strmap *noted; /* the same, of elements -> the array, heap */
    bool full;        /* there were more than are looked at */
    pthread_mutex_t lock;
};

static char yes, no;

vz_check_targets *vz_check_targets_new(vz_error *err)
{
    vz_check_targets *targets = calloc(1, sizeof *targets);
    if (targets) {
        targets->known = vz_strmap_new();
        targets->noted = vz_strmap_new();
        pthread_mutex_init(&targets->lock, NULL);
    }
    if (targets && targets->known && targets->noted)
        return targets;
    vz_check_targets_free(targets);
    vz_fail_memory(err);
    return NULL;
}

void vz_check_targets_free(vz_check_targets *targets)
{
    if (!targets)
        return;
    vz_strmap_free(targets->known, NULL);
    vz_strmap_free(targets->noted, free);
    pthread_mutex_destroy(&targets->lock);
    free(targets);
}

/* ---- is there something? ---- */

/* Where a stored path leads now: heap; NULL: to nothing, or with err set. */
static char *path_now(vz_hierarchy *hierarchy, const char *path, uint64_t since, vz_error *err)
{
    vz_error why = VZ_ERROR_NONE;
    if (!vz_hierarchy_has_moves(hierarchy))
        return vz_path_from_text(path, err);
    const uint64_t token = vz_hierarchy_reference_token(hierarchy, path, since, &why);
    char *now = token ? vz_hierarchy_token_path(hierarchy, token, &why) : NULL;
    if (!now && why.class == VZ_NO_MEMORY)
        vz_fail_memory(err);
    return now;
}

static bool exists(vz_check *check, const char *path, uint64_t since, bool *is, vz_error *err)
{
    vz_error why = VZ_ERROR_NONE;
    char *now = path_now(check->hierarchy, path, since, &why);
    *is = now && vz_subject_follow(vz_hierarchy_root(check->hierarchy), now, &why);
    free(now);
    /* Something is there, whatever is wrong with it, unless it is said to be missing. */
    if (!*is && why.class != VZ_OK && why.class != VZ_NOT_FOUND && why.class != VZ_NO_MEMORY)
        *is = true;
    return why.class != VZ_NO_MEMORY || vz_fail_memory(err);
}

static char *target_key(const char *path, uint64_t since, vz_error *err)
{
    vz_buffer text = {0};
    if (vz_buffer_printf(&text, err, "%llu %s", (unsigned long long)since, path) && vz_buffer_append(&text, "", 1, err))
        return (char *)text.data;
    vz_buffer_clear(&text);
    return NULL;
}

/* The same, remembered. */
static bool leads(vz_check *check, const char *path, uint64_t since, bool *is, vz_error *err)
{
    vz_strmap *known = check->targets->known;
    char *key = target_key(path, since, err);
    const char *answer = key ? vz_strmap_get(known, key) : NULL;
    bool ok = key != NULL;
    if (ok && answer)
        *is = answer == &yes;
    else if (ok)
        ok = exists(check, path, since, is, err) &&
             (vz_strmap_count(known) >= REMEMBERED_MAX || vz_strmap_put(known, key, *is ? &yes : &no, err));
    free(key);
    return ok;
}

/* ---- references as JSON ---- */

typedef bool (*visit_reference)(vz_check *check, const char *where, const char *path, uint64_t since, vz_error *err);

static bool is_here(const vz_json *source)
{
    return !source || vz_json_kind_of(source) == VZ_JSON_NULL || vz_json_is(source, ".") || vz_json_is(source, "");
}

/* Each reference within a value: {"source", "path"}, however deep in lists. */
static bool each_reference(vz_check *check, const char *where, const vz_json *value, visit_reference visit,
                           vz_error *err)
{
    const char *path = vz_json_get_string(vz_json_get(value, "path"), NULL);
    uint64_t since = 0;
    bool ok = true;
    if (path && is_here(vz_json_get(value, "source"))) {
        vz_json_get_uint64(vz_json_get(value, "since"), &since);
        return visit(check, where, path, since, err);
    }
    if (value && vz_json_kind_of(value) == VZ_JSON_ARRAY)
        for (size_t i = 0; ok && i < vz_json_length(value); i++)
            ok = each_reference(check, where, vz_json_at(value, i), visit, err);
    return ok;
}

static bool judge_reference(vz_check *check, const char *where, const char *path, uint64_t since, vz_error *err)
{
    bool is = false;
    if (!leads(check, path, since, &is, err))
        return false;
    if (!is)
        vz_report_find(&check->report, VZ_FINDING_REFERENCE, where, "a reference to %s", path);
    return true;
}

/* ---- elements ---- */

static bool is_reference_type(const vz_json *type)
{
    bool is = vz_json_is(type, "object") || vz_json_is(type, "object_reference");
    for (size_t i = 0; !is && type && vz_json_kind_of(type) == VZ_JSON_ARRAY && i < vz_json_length(type); i++)
        is = vz_json_is(vz_json_get(vz_json_at(type, i), "dtype"), "object");
    return is;
}

bool vz_check_is_of_references(const vz_json *attributes)
{
    const char *annotation = vz_json_get_string(vz_json_get(attributes, VZ_ANNOTATION), NULL);
    return is_reference_type(vz_json_get(attributes, "zarr_dtype")) ||
           is_reference_type(vz_json_get(attributes, "_DTYPE")) || (annotation && strstr(annotation, "{\"ref\":\""));
}

static bool note(vz_check *check, const char *array, const char *path, uint64_t since, vz_error *err)
{
    vz_check_targets *targets = check->targets;
    char *key = target_key(path, since, err), *copy = NULL;
    bool ok = key != NULL;
    pthread_mutex_lock(&targets->lock);
    const bool is_new = ok && !vz_strmap_get(targets->noted, key);
    if (is_new && vz_strmap_count(targets->noted) >= REMEMBERED_MAX)
        targets->full = true;
    else if (is_new)
        ok = (copy = strdup(array)) && vz_strmap_put(targets->noted, key, copy, err);
    pthread_mutex_unlock(&targets->lock);
    if (!ok)
        free(copy);
    free(key);
    return ok;
}

/* An element is the JSON text of a reference, or of a row with some in it, or a path. */
static void note_item(vz_check *check, const char *array, const char *text, size_t size)
{
    if (*text == '/') {
        char *path = strndup(text, size);
        if (path)
            note(check, array, path, 0, NULL);
        free(path);
    } else if (*text == '{' || *text == '[') {
        vz_json *value = vz_json_parse_within(text, size, ITEM_VALUES, NULL);
        each_reference(check, array, value, note, NULL);
        vz_json_free(value);
    }
}

void vz_check_note_items(vz_check *check, const char *array, const vz_item *items, size_t count)
{
    for (size_t i = 0; i < count && check->hierarchy; i++)
        if (items[i].size)
            note_item(check, array, (const char *)items[i].data, (size_t)items[i].size);
}

bool vz_check_follow_noted(vz_check *check, vz_error *err)
{
    vz_check_targets *targets = check->targets;
    size_t cursor = 0;
    const char *key;
    void *array;
    while (check->hierarchy && vz_strmap_next(targets->noted, &cursor, &key, &array)) {
        char *path;
        const uint64_t since = strtoull(key, &path, 10);
        if (!judge_reference(check, array, path + 1, since, err))
            return false;
    }
    if (targets->full)
        vz_report_find(&check->report, VZ_FINDING_UNJUDGED, "", "more than %d references in elements of arrays",
                       REMEMBERED_MAX);
    return true;
}

/* ---- attributes ---- */

/* A path of a link that starts at a group goes on from there. */
static bool soft_leads(vz_check *check, const char *prefix, const char *to, bool *is, vz_error *err)
{
    vz_error why = VZ_ERROR_NONE;
    vz_node *group = *to == '/' ? vz_hierarchy_root(check->hierarchy) : vz_subject_follow(check->start, prefix, &why);
    *is = !group || vz_subject_follow(group, to, &why) || (why.class != VZ_OK && why.class != VZ_NOT_FOUND);
    return why.class != VZ_NO_MEMORY || vz_fail_memory(err);
}

static bool judge_link_entry(vz_check *check, const char *prefix, const vz_json *entry, vz_error *err)
{
    const vz_json *kind = vz_json_get(entry, "k");
    const char *to = vz_json_get_string(vz_json_get(entry, "to"), NULL);
    const char *name = vz_json_get_string(vz_json_get(entry, "n"), NULL);
    uint64_t since = 0;
    bool is = true;
    if (!to)
        return true;
    vz_json_get_uint64(vz_json_get(entry, "since"), &since);
    if (vz_json_is(kind, "hard") && !leads(check, to, since, &is, err))
        return false;
    if (vz_json_is(kind, "soft") && !soft_leads(check, prefix, to, &is, err))
        return false;
    if (!is)
        vz_report_find(&check->report, vz_json_is(kind, "hard") ? VZ_FINDING_REFERENCE : VZ_FINDING_LINK, prefix,
                       "the %s \"%s\" to %s", vz_json_is(kind, "hard") ? "further name" : "soft link",
                       name ? name : "?", to);
    return true;
}

static bool judge_annotation(vz_check *check, const char *prefix, const vz_json *attributes, vz_error *err)
{
    const vz_json *value = vz_json_get(attributes, VZ_ANNOTATION);
    vz_error why = VZ_ERROR_NONE;
    size_t length = 0;
    const char *text = vz_json_get_string(value, &length);
    if (!value)
        return true;
    vz_json *annotation = text ? vz_json_parse_within(text, length, VZ_DOCUMENT_MAX_VALUES, &why) : NULL;
    bool ok = why.class != VZ_NO_MEMORY || vz_fail_memory(err);
    if (ok && (!annotation || vz_json_kind_of(annotation) != VZ_JSON_OBJECT))
        vz_report_find(&check->report, VZ_FINDING_DOCUMENT, prefix, "the attribute " VZ_ANNOTATION ": %s",
                       why.class != VZ_OK ? why.text : "it is not the text of an object");
    const vz_json *links = vz_json_get(annotation, "L");
    for (size_t i = 0; ok && check->hierarchy && i < vz_json_length(links); i++)
        ok = judge_link_entry(check, prefix, vz_json_at(links, i), err);
    vz_json_free(annotation);
    return ok;
}

/* hdmf-zarr's list of links. One that leads nowhere keeps it from reading the file. */
static bool judge_links(vz_check *check, const char *prefix, const vz_json *list, vz_error *err)
{
    return each_reference(check, prefix, list, judge_reference, err);
}

static bool judge_value(vz_check *check, const char *prefix, const vz_json *value, vz_error *err)
{
    if (!value || vz_json_kind_of(value) != VZ_JSON_OBJECT)
        return true;
    if (vz_json_is(vz_json_get(value, "zarr_dtype"), "object"))
        return each_reference(check, prefix, vz_json_get(value, "value"), judge_reference, err);
    return each_reference(check, prefix, vz_json_get(value, "_REFERENCE"), judge_reference, err);
}

bool vz_check_attributes(vz_check *check, const char *prefix, const vz_json *attributes, vz_error *err)
{
    const char *name;
    vz_json *value;
    if (!judge_annotation(check, prefix, attributes, err))
        return false;
    if (!check->hierarchy)
        return true;
    bool ok = judge_links(check, prefix, vz_json_get(attributes, "zarr_link"), err) &&
              judge_links(check, prefix, vz_json_get(attributes, "_LINKS"), err);
    for (size_t i = 0; ok && vz_json_member(attributes, i, &name, &value); i++)
        ok = judge_value(check, prefix, value, err);
    return ok;
}
