/* check_references.c - do links and references lead to something? Those within the store are
 * followed through noted moves; what another file holds is not looked at. */
#include "command/check/check_internal.h"
#include "command/command/command.h"
#include "hierarchy/documents/documents.h"
#include "hierarchy/nodes/member.h"
#include "hierarchy/resolve/token.h"
#include <stdlib.h>

/* ---- is there something? ---- */

/* Where a stored path leads now: heap; NULL: to nothing, or with err set. */
static char *path_now(vz_hierarchy *hierarchy, const char *path, uint64_t since, vz_error *err)
{
    vz_error why = VZ_ERROR_NONE;
    if (!vz_hierarchy_has_moves(hierarchy))
        return vz_text_to_path(path, err);
    const uint64_t token = vz_token_of_reference(hierarchy, path, since, &why);
    char *now = token ? vz_token_path_here(hierarchy, token, &why) : NULL;
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

/* Does a path lead to an object? Answers are remembered. */
static bool leads(vz_check *check, const char *path, uint64_t since, bool *is, vz_error *err)
{
    char *key = target_key(path, since, err);
    const bool known = key && vz_check_known(check, key, is);
    const bool ok = key && (known || exists(check, path, since, is, err));
    if (ok && !known)
        vz_check_remember(check, key, *is);
    free(key);
    return ok;
}

/* ---- references as JSON ---- */

static const char *other_file(const vz_json *source)
{
    const char *file = source ? vz_json_get_string(source, NULL) : NULL;
    return file && *file && strcmp(file, ".") != 0 ? file : NULL;
}

bool vz_check_each_reference(vz_check *check, const char *where, const vz_json *value, vz_check_visit visit,
                             vz_error *err)
{
    vz_check_target target = {.path = vz_json_get_string(vz_json_get(value, "path"), NULL)};
    const char *name;
    vz_json *member;
    bool ok = true;
    if (target.path) {
        target.file = other_file(vz_json_get(value, "source"));
        vz_json_get_uint64(vz_json_get(value, "since"), &target.since);
        return visit(check, where, &target, err);
    }
    if (value && vz_json_kind_of(value) == VZ_JSON_ARRAY)
        for (size_t i = 0; ok && i < vz_json_length(value); i++)
            ok = vz_check_each_reference(check, where, vz_json_at(value, i), visit, err);
    else if (value && vz_json_kind_of(value) == VZ_JSON_OBJECT)
        for (size_t i = 0; ok && vz_json_member(value, i, &name, &member); i++)
            ok = vz_check_each_reference(check, where, member, visit, err);
    return ok;
}

static bool judge_reference(vz_check *check, const char *where, const vz_check_target *target, vz_error *err)
{
    bool is = false;
    if (target->file)
        return vz_check_other_file(check, where, "a reference", target->file, target->path, err);
    if (!leads(check, target->path, target->since, &is, err))
        return false;
    if (!is)
        vz_report_find(&check->report, VZ_FINDING_REFERENCE, where, "a reference to %s", target->path);
    return true;
}

bool vz_check_follow_noted(vz_check *check, vz_error *err)
{
    return !check->hierarchy || vz_check_each_noted(check, judge_reference, err);
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

static bool judge_alias(vz_check *check, const char *prefix, const vz_link *link, vz_error *err)
{
    bool is = false;
    char *path = vz_text_of_path(link->target, err);
    const bool ok = path && leads(check, path, link->since, &is, err);
    if (ok && !is)
        vz_report_find(&check->report, VZ_FINDING_REFERENCE, prefix, "the hard link \"%s\" to %s", link->name,
                       link->target);
    free(path);
    return ok;
}

static bool judge_link(vz_check *check, const char *prefix, const vz_link *link, vz_error *err)
{
    const char *file, *path;
    bool is = false;
    if (link->kind == VZ_LINK_ALIAS)
        return judge_alias(check, prefix, link, err);
    if (link->kind == VZ_LINK_USER)
        return !vz_describe_external(link, &file, &path) ||
               vz_check_other_file(check, prefix, "an external link", file, path, err);
    if (!soft_leads(check, prefix, link->target, &is, err))
        return false;
    if (!is)
        vz_report_find(&check->report, VZ_FINDING_LINK, prefix, "the soft link \"%s\" to %s", link->name, link->target);
    return true;
}

/* An entry that cannot be read: the group does not show the link. */
static bool find_unread(vz_check *check, const char *prefix, const char *name, const vz_error *why, vz_error *err)
{
    if (why->class == VZ_NO_MEMORY)
        return vz_fail_memory(err);
    vz_report_find(&check->report, why->class == VZ_UNSUPPORTED ? VZ_FINDING_UNJUDGED : VZ_FINDING_DOCUMENT, prefix,
                   "the link \"%s\" in the attribute " VZ_ANNOTATION ": %s", name ? name : "?", why->text);
    return true;
}

static bool judge_link_entry(vz_check *check, const char *prefix, const vz_json *entry, vz_error *err)
{
    vz_error why = VZ_ERROR_NONE;
    vz_link link = {0};
    bool is_read;
    if (vz_link_entry_is_node(entry))
        is_read = (link.name = vz_link_entry_name(entry, &why)) != NULL;
    else
        is_read = vz_link_entry_read(entry, &link, &why);
    const bool ok = !is_read ? find_unread(check, prefix, link.name, &why, err)
                             : link.kind == VZ_LINK_NODE || judge_link(check, prefix, &link, err);
    vz_link_clear(&link);
    return ok;
}

/* Does a type hold references? */
static bool has_reference(const vz_json *type)
{
    const char *name;
    vz_json *member;
    if (!type || vz_json_get(type, "ref"))
        return type != NULL;
    if (vz_json_kind_of(type) == VZ_JSON_ARRAY)
        for (size_t i = 0; i < vz_json_length(type); i++)
            if (has_reference(vz_json_at(type, i)))
                return true;
    if (vz_json_kind_of(type) == VZ_JSON_OBJECT)
        for (size_t i = 0; vz_json_member(type, i, &name, &member); i++)
            if (has_reference(member))
                return true;
    return false;
}

/* References within compounds and sequences: the type that the annotation has tells of them. Those
 * that are no part of anything tell themselves (judge_value). */
static bool judge_typed(vz_check *check, const char *prefix, const vz_json *attributes, const vz_json *annotation,
                        vz_error *err)
{
    const vz_json *entries = vz_json_get(annotation, "a"), *hidden = vz_json_get(annotation, "hv");
    const char *name;
    vz_json *entry;
    bool ok = true;
    for (size_t i = 0; ok && entries && vz_json_member(entries, i, &name, &entry); i++) {
        const vz_json *value = vz_json_get(attributes, name), *type = vz_json_get(entry, "t");
        if (value && !vz_json_get(value, "zarr_dtype") && !vz_json_get(value, "_REFERENCE") && has_reference(type))
            ok = vz_check_each_reference(check, prefix, value, judge_reference, err);
    }
    for (size_t i = 0; ok && hidden && i < vz_json_length(hidden); i++) { /* [place, key, value] */
        const vz_json *item = vz_json_at(hidden, i), *key = vz_json_at(item, 1);
        const char *subject = key ? vz_json_get_string(key, NULL) : NULL;
        if (subject && has_reference(vz_json_get(vz_json_get(entries, subject), "t")))
            ok = vz_check_each_reference(check, prefix, vz_json_at(item, 2), judge_reference, err);
    }
    return ok;
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
    if (ok && check->hierarchy)
        ok = judge_typed(check, prefix, attributes, annotation, err);
    const vz_json *links = vz_json_get(annotation, VZ_ANNOTATION_LINKS);
    for (size_t i = 0; ok && check->hierarchy && i < vz_json_length(links); i++)
        ok = judge_link_entry(check, prefix, vz_json_at(links, i), err);
    vz_json_free(annotation);
    return ok;
}

/* hdmf-zarr's list of links. One that leads nowhere keeps it from reading the file. */
static bool judge_links(vz_check *check, const char *prefix, const vz_json *list, vz_error *err)
{
    return vz_check_each_reference(check, prefix, list, judge_reference, err);
}

static bool judge_value(vz_check *check, const char *prefix, const vz_json *value, vz_error *err)
{
    if (!value || vz_json_kind_of(value) != VZ_JSON_OBJECT)
        return true;
    if (vz_json_is(vz_json_get(value, "zarr_dtype"), "object"))
        return vz_check_each_reference(check, prefix, vz_json_get(value, "value"), judge_reference, err);
    return vz_check_each_reference(check, prefix, vz_json_get(value, "_REFERENCE"), judge_reference, err);
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
