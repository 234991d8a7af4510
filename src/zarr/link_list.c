/* link_list.c - "L" in a group's annotation: what a directory's name cannot tell of a link (its true name, its place in
 * the creation order, its character set). Links that are no directories (k other than "hard") are kept as they are. */
#include "zarr/hierarchy.h"
#include <stdlib.h>

/* Keys of an entry; "nb" is the name in base64 where it is not UTF-8. */
#define KEY_NAME       "n"
#define KEY_NAME_BYTES "nb"
#define KEY_KIND       "k"
#define KEY_SEGMENT    "e"
#define KEY_CHARSET    "cs"
#define KEY_ORDER      "i"

bool vz_text_is_ascii(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text >= 0x80)
            return false;
    return true;
}

void vz_link_note_free(void *note)
{
    if (note)
        free(((vz_link_note *)note)->name);
    free(note);
}

/* ---- reading ---- */

/* The entry's name on the heap; NULL without an error if it has none that a link can have. */
static char *entry_name(const vz_json *entry, vz_error *err)
{
    size_t length = 0;
    vz_buffer decoded = {0};
    const char *bytes = vz_json_get_string(vz_json_get(entry, KEY_NAME), &length);
    const char *base64 = bytes ? NULL : vz_json_get_string(vz_json_get(entry, KEY_NAME_BYTES), &length);
    vz_error ignored = VZ_ERROR_NONE;
    if (base64 && vz_base64_decode(base64, length, &decoded, &ignored)) {
        bytes = (const char *)decoded.data;
        length = decoded.size;
    }
    char *name = NULL;
    if (bytes && length > 0 && !memchr(bytes, '/', length) && !memchr(bytes, '\0', length)) {
        name = strndup(bytes, length);
        if (!name)
            vz_fail_memory(err);
    }
    vz_buffer_clear(&decoded);
    return name;
}

static vz_link_note *read_note(const vz_json *entry, vz_error *err)
{
    char *name = entry_name(entry, err);
    vz_link_note *note = name ? calloc(1, sizeof *note) : NULL;
    if (!note) {
        if (name)
            vz_fail_memory(err);
        free(name);
        return NULL;
    }
    const vz_json *charset = vz_json_get(entry, KEY_CHARSET);
    uint64_t order;
    note->name = name;
    note->order = vz_json_get_uint64(vz_json_get(entry, KEY_ORDER), &order) && order < INT64_MAX ? order : VZ_NO_ORDER;
    note->utf8 = vz_json_is(charset, "utf8");
    note->has_charset = note->utf8 || vz_json_is(charset, "ascii");
    return note;
}

static bool is_hard(const vz_json *entry)
{
    return vz_json_is(vz_json_get(entry, KEY_KIND), "hard");
}

/* Of two entries for one directory the first counts. */
static bool read_entry(vz_strmap *notes, const vz_json *entry, bool *tracked, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    *tracked = *tracked || vz_json_get(entry, KEY_ORDER);
    vz_link_note *note = is_hard(entry) ? read_note(entry, &failed) : NULL;
    if (!note)
        return failed.class == VZ_OK || vz_fail_memory(err);
    const char *segment = vz_json_get_string(vz_json_get(entry, KEY_SEGMENT), NULL);
    if (!segment)
        segment = note->name;
    if (!vz_strmap_get(notes, segment) && vz_strmap_put(notes, segment, note, &failed))
        return true;
    vz_link_note_free(note);
    return failed.class == VZ_OK || vz_fail_memory(err);
}

vz_strmap *vz_link_notes_read(const vz_json *annotation, bool *tracked, vz_error *err)
{
    const vz_json *list = vz_json_get(annotation, VZ_ANNOTATION_LINKS);
    const bool is_list = list && vz_json_kind_of(list) == VZ_JSON_ARRAY;
    vz_strmap *notes = vz_strmap_new();
    if (!notes) {
        vz_fail_memory(err);
        return NULL;
    }
    *tracked = is_list && vz_json_length(list) == 0;
    for (size_t i = 0; is_list && i < vz_json_length(list); i++)
        if (!read_entry(notes, vz_json_at(list, i), tracked, err)) {
            vz_strmap_free(notes, vz_link_note_free);
            return NULL;
        }
    return notes;
}

/* ---- writing ---- */

static bool is_escaped(const vz_link *link)
{
    return strcmp(link->name, link->segment) != 0;
}

/* Names are ASCII or UTF-8 as they look, which is also what h5py says of them. */
static bool has_odd_charset(const vz_link *link)
{
    return link->utf8 == vz_text_is_ascii(link->name);
}

static vz_json *print_name_bytes(const char *name, vz_error *err)
{
    char *base64 = vz_base64_encode(name, strlen(name), err);
    vz_json *value = base64 ? vz_json_text(base64, err) : NULL;
    free(base64);
    return value;
}

static bool print_name(vz_json *entry, const char *name, vz_error *err)
{
    const bool is_text = vz_utf8_valid(name, strlen(name));
    vz_json *value = is_text ? vz_json_text(name, err) : print_name_bytes(name, err);
    return value && vz_json_set(entry, is_text ? KEY_NAME : KEY_NAME_BYTES, value, err);
}

static bool set_text(vz_json *entry, const char *key, const char *text, vz_error *err)
{
    vz_json *value = vz_json_text(text, err);
    return value && vz_json_set(entry, key, value, err);
}

static bool set_order(vz_json *entry, uint64_t order, vz_error *err)
{
    vz_json *value = vz_json_uint64(order, err);
    return value && vz_json_set(entry, KEY_ORDER, value, err);
}

static bool append_link(vz_json *list, const vz_link *link, bool tracked, vz_error *err)
{
    vz_json *entry = vz_json_object(err);
    const bool ok = entry && print_name(entry, link->name, err) && set_text(entry, KEY_KIND, "hard", err) &&
                    (!is_escaped(link) || set_text(entry, KEY_SEGMENT, link->segment, err)) &&
                    (!has_odd_charset(link) || set_text(entry, KEY_CHARSET, link->utf8 ? "utf8" : "ascii", err)) &&
                    (!tracked || set_order(entry, link->order, err));
    if (ok)
        return vz_json_append(list, entry, err);
    vz_json_free(entry);
    return false;
}

/* Does an entry of the old list stay? Soft links and the like do; so does a name that only another process knows. */
static bool keep_entry(const vz_node *group, const vz_json *entry, bool *keep, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    *keep = !is_hard(entry);
    char *name = *keep ? NULL : entry_name(entry, &failed);
    if (name) {
        const struct vz_node_dirt *dirt = group->dirt;
        const bool unlinked = dirt && dirt->unlinked && vz_strmap_get(dirt->unlinked, name);
        *keep = !unlinked && !vz_strmap_get(group->members->by_name, name) && !group->is_new;
    }
    free(name);
    return failed.class == VZ_OK || vz_fail_memory(err);
}

static bool append_kept(const vz_node *group, vz_json *list, const vz_json *old, vz_error *err)
{
    for (size_t i = 0; i < vz_json_length(old); i++) {
        bool keep;
        if (!keep_entry(group, vz_json_at(old, i), &keep, err))
            return false;
        if (keep && !vz_json_append(list, vz_json_copy(vz_json_at(old, i), err), err))
            return false;
    }
    return true;
}

static bool append_links(vz_node *group, vz_json *list, vz_error *err)
{
    const size_t count = vz_strmap_count(group->members->by_name);
    vz_link **links = vz_members_in_order(group->members, VZ_BY_CREATION, err);
    for (size_t i = 0; links && i < count; i++)
        if ((group->track_order || is_escaped(links[i]) || has_odd_charset(links[i])) &&
            !append_link(list, links[i], group->track_order, err))
            return false;
    return links != NULL;
}

bool vz_link_notes_needed(const vz_node *group)
{
    if (group->track_order || vz_json_get(group->annotation, VZ_ANNOTATION_LINKS) ||
        (group->members->escaped && vz_strmap_count(group->members->escaped) > 0))
        return true;
    size_t cursor = 0;
    const char *name;
    void *value;
    while (vz_strmap_next(group->members->by_name, &cursor, &name, &value))
        if (has_odd_charset(&((vz_member *)value)->link))
            return true;
    return false;
}

bool vz_link_notes_write(vz_node *group, vz_json *annotation, vz_error *err)
{
    const vz_json *old = vz_json_get(annotation, VZ_ANNOTATION_LINKS);
    vz_json *list = vz_json_array(err);
    if (!list || !append_links(group, list, err) || (old && !append_kept(group, list, old, err))) {
        vz_json_free(list);
        return false;
    }
    if (group->track_order || vz_json_length(list) > 0)
        return vz_json_set(annotation, VZ_ANNOTATION_LINKS, list, err);
    vz_json_free(list);
    vz_json_remove(annotation, VZ_ANNOTATION_LINKS);
    return true;
}
