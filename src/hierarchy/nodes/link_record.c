/* link_record.c - one entry of a group's "L": names, kinds and targets of links, printed and
 * read. */
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/member_internal.h"
#include "hierarchy/nodes/root_move_log_internal.h"
#include "hierarchy/nodes/node_state.h"
#include <stdlib.h>

/* Keys. Text that is not UTF-8 stands in base64, under the second name of a pair. */
#define KEY_NAME         "n"
#define KEY_NAME_BYTES   "nb"
#define KEY_KIND         "k" /* "hard", "soft", "ext", "ud" */
#define KEY_SEGMENT      "e"
#define KEY_CHARSET      "cs"
#define KEY_ORDER        "i"
#define KEY_TARGET       "to" /* soft, ext, and aliases: a path */
#define KEY_TARGET_BYTES "tob"
#define KEY_SINCE        "since" /* aliases: moves up to that number are in the path already */
#define KEY_FILE         "f"     /* ext */
#define KEY_FILE_BYTES   "fb"
#define KEY_CLASS        "c" /* ud */
#define KEY_VALUE        "b" /* ud: base64 */

/* ---- reading ---- */

/* Text under either key, NUL-terminated on the heap, *length without the NUL. */
static char *read_bytes(const vz_json *entry, const char *key, const char *base64_key, size_t *length, vz_error *err)
{
    vz_buffer decoded = {0};
    vz_error why = VZ_ERROR_NONE;
    const char *bytes = vz_json_get_string(vz_json_get(entry, key), length);
    const char *base64 = bytes ? NULL : vz_json_get_string(vz_json_get(entry, base64_key), length);
    if (base64 && vz_base64_decode(base64, *length, &decoded, &why)) {
        bytes = decoded.data ? (const char *)decoded.data : "";
        *length = decoded.size;
    }
    char *text = bytes ? malloc(*length + 1) : NULL;
    if (text) {
        memcpy(text, bytes, *length);
        text[*length] = '\0';
    } else if (bytes || why.class == VZ_NO_MEMORY) {
        vz_fail_memory(err);
    } else if (base64) {
        vz_fail(err, VZ_CORRUPT, "\"%s\": %s", base64_key, why.text);
    } else {
        vz_fail(err, VZ_CORRUPT, "it has no \"%s\"", key);
    }
    vz_buffer_clear(&decoded);
    return text;
}

/* Reads text that must not hold a NUL. */
static char *read_text(const vz_json *entry, const char *key, const char *base64_key, vz_error *err)
{
    size_t length = 0;
    char *text = read_bytes(entry, key, base64_key, &length, err);
    if (text && strlen(text) == length)
        return text;
    vz_fail(err, VZ_CORRUPT, "\"%s\" has a NUL", key);
    free(text);
    return NULL;
}

char *vz_link_entry_name(const vz_json *entry, vz_error *err)
{
    char *name = read_text(entry, KEY_NAME, KEY_NAME_BYTES, err);
    if (name && *name && !strchr(name, '/'))
        return name;
    vz_fail(err, VZ_CORRUPT, "no link can have its name");
    free(name);
    return NULL;
}

static bool is_kind(const vz_json *entry, const char *kind)
{
    return vz_json_is(vz_json_get(entry, KEY_KIND), kind);
}

bool vz_link_entry_is_node(const vz_json *entry)
{
    return is_kind(entry, "hard") && !vz_json_get(entry, KEY_TARGET) && !vz_json_get(entry, KEY_TARGET_BYTES);
}

uint64_t vz_link_entry_order(const vz_json *entry)
{
    uint64_t order;
    return vz_json_get_uint64(vz_json_get(entry, KEY_ORDER), &order) && order < INT64_MAX ? order : VZ_NO_ORDER;
}

/* Version and flags 0, file name, path. */
static bool read_external(const vz_json *entry, vz_link *link, vz_error *err)
{
    char *file = read_text(entry, KEY_FILE, KEY_FILE_BYTES, err);
    char *path = read_text(entry, KEY_TARGET, KEY_TARGET_BYTES, err);
    vz_buffer value = {0};
    const bool ok = file && path && vz_buffer_append(&value, "", 1, err) &&
                    vz_buffer_append(&value, file, strlen(file) + 1, err) &&
                    vz_buffer_append(&value, path, strlen(path) + 1, err);
    free(file);
    free(path);
    link->kind = VZ_LINK_USER;
    link->class = VZ_LINK_CLASS_EXTERNAL;
    link->value = value.data;
    link->value_size = value.size;
    return ok;
}

static bool read_user(const vz_json *entry, vz_link *link, vz_error *err)
{
    int64_t class = 0;
    size_t length = 0;
    const char *base64 = vz_json_get_string(vz_json_get(entry, KEY_VALUE), &length);
    vz_buffer decoded = {0};
    if (!vz_json_get_int64(vz_json_get(entry, KEY_CLASS), &class) || class < 0 || class > UINT8_MAX || !base64)
        return vz_fail(err, VZ_CORRUPT, "it has no \"" KEY_CLASS "\" or \"" KEY_VALUE "\" of a user-defined link");
    const bool ok = vz_base64_decode(base64, length, &decoded, err);
    link->kind = VZ_LINK_USER;
    link->class = (int)class;
    link->value = decoded.data;
    link->value_size = decoded.size;
    return ok;
}

static bool read_kind(const vz_json *entry, vz_link *link, vz_error *err)
{
    if (is_kind(entry, "ext"))
        return read_external(entry, link, err);
    if (is_kind(entry, "ud"))
        return read_user(entry, link, err);
    if (!is_kind(entry, "soft") && !is_kind(entry, "hard"))
        return vz_fail(err, VZ_UNSUPPORTED, "its kind is not known");
    link->kind = is_kind(entry, "soft") ? VZ_LINK_SOFT : VZ_LINK_ALIAS;
    if (!vz_json_get_uint64(vz_json_get(entry, KEY_SINCE), &link->since))
        link->since = 0;
    link->target = read_text(entry, KEY_TARGET, KEY_TARGET_BYTES, err);
    return link->target != NULL;
}

bool vz_link_entry_read(const vz_json *entry, vz_link *link, vz_error *err)
{
    *link = (vz_link){.name = vz_link_entry_name(entry, err)};
    if (!link->name)
        return false;
    const vz_json *charset = vz_json_get(entry, KEY_CHARSET);
    link->order = vz_link_entry_order(entry);
    link->utf8 = charset ? vz_json_is(charset, "utf8") : !vz_text_is_ascii(link->name);
    return read_kind(entry, link, err);
}

static bool add_member(vz_node *group, struct vz_members *members, vz_link link, vz_error *err)
{
    vz_member *member = vz_members_add(members, link, err);
    if (member)
        member->group = group;
    return member != NULL;
}

/* Was the node that a further hard link leads to deleted? A writer that was killed deletes nodes at
 * once, and leaves their further hard links in "L". Fails when the journals of the store cannot be
 * read, or for want of memory. */
static bool is_gone(vz_hierarchy *hierarchy, const vz_link *link, bool *gone, vz_error *err)
{
    char *path = vz_root_move_log_follow(hierarchy, link->target, link->since, err);
    *gone = path && vz_moves_is_nowhere(path);
    free(path);
    return path != NULL;
}

/* The name of a node that was deleted is passed over: a listing shows what opens. */
static bool add_alias(vz_node *group, struct vz_members *members, vz_link link, vz_error *err)
{
    bool gone;
    group->hierarchy->hard_links.any = true;
    bool ok = is_gone(group->hierarchy, &link, &gone, err);
    if (ok && !gone)
        return add_member(group, members, link, err);
    ok = ok && vz_unwritten_name(&members->gone, link.name, err);
    vz_link_clear(&link);
    return ok;
}

/* Of two entries with one name the first counts; a directory counts before both. */
static bool add_other(vz_node *group, struct vz_members *members, vz_link link, vz_error *err)
{
    if (vz_strmap_get(members->by_name, link.name)) {
        vz_link_clear(&link);
        return true;
    }
    if (link.order != VZ_NO_ORDER && link.order >= group->next_order)
        group->next_order = link.order + 1;
    return link.kind == VZ_LINK_ALIAS ? add_alias(group, members, link, err) : add_member(group, members, link, err);
}

bool vz_link_entry_add(vz_node *group, struct vz_members *members, const vz_json *entry, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    vz_link link = {0};
    if (!entry || vz_link_entry_is_node(entry))
        return true;
    if (vz_link_entry_read(entry, &link, &failed))
        return add_other(group, members, link, err);
    vz_link_clear(&link);
    return failed.class != VZ_NO_MEMORY || vz_fail_memory(err);
}

/* ---- printing ---- */

/* Names are ASCII or UTF-8 as they look, which is also what h5py says of them. */
bool vz_link_entry_has_odd_charset(const vz_link *link)
{
    return link->utf8 == vz_text_is_ascii(link->name);
}

static bool set_base64(vz_json *entry, const char *key, const void *bytes, size_t size, vz_error *err)
{
    char *base64 = vz_base64_encode(bytes, size, err);
    const bool ok = base64 && vz_json_set_text(entry, key, base64, err);
    free(base64);
    return ok;
}

static bool set_name(vz_json *entry, const char *key, const char *base64_key, const char *text, vz_error *err)
{
    const size_t length = strlen(text);
    return vz_utf8_valid(text, length) ? vz_json_set_text(entry, key, text, err)
                                       : set_base64(entry, base64_key, text, length, err);
}

static bool set_number(vz_json *entry, const char *key, uint64_t number, vz_error *err)
{
    vz_json *value = vz_json_uint64(number, err);
    return value && vz_json_set(entry, key, value, err);
}

static bool print_node(vz_json *entry, const vz_link *link, vz_error *err)
{
    return vz_json_set_text(entry, KEY_KIND, "hard", err) &&
           (strcmp(link->name, link->segment) == 0 || vz_json_set_text(entry, KEY_SEGMENT, link->segment, err));
}

/* An external link with the value that H5Lcreate_external makes, without flags, is stored as
 * text. */
static bool is_usual_external(const vz_link *link)
{
    const uint8_t *file = link->value + 1;
    if (link->class != VZ_LINK_CLASS_EXTERNAL || link->value_size < 3 || link->value[0] != 0)
        return false;
    const uint8_t *nul = memchr(file, 0, link->value_size - 1);
    return nul &&
           memchr(nul + 1, 0, (size_t)(link->value + link->value_size - nul - 1)) == link->value + link->value_size - 1;
}

static bool print_external(vz_json *entry, const vz_link *link, vz_error *err)
{
    const char *file = (const char *)link->value + 1;
    return vz_json_set_text(entry, KEY_KIND, "ext", err) && set_name(entry, KEY_FILE, KEY_FILE_BYTES, file, err) &&
           set_name(entry, KEY_TARGET, KEY_TARGET_BYTES, file + strlen(file) + 1, err);
}

static bool print_user(vz_json *entry, const vz_link *link, vz_error *err)
{
    vz_json *class = vz_json_int64(link->class, err);
    return class && vz_json_set(entry, KEY_CLASS, class, err) && vz_json_set_text(entry, KEY_KIND, "ud", err) &&
           set_base64(entry, KEY_VALUE, link->value ? (const void *)link->value : "", link->value_size, err);
}

static bool print_kind(vz_json *entry, const vz_link *link, vz_error *err)
{
    switch (link->kind) {
    case VZ_LINK_NODE:
        return print_node(entry, link, err);
    case VZ_LINK_ALIAS:
    case VZ_LINK_SOFT:
        return vz_json_set_text(entry, KEY_KIND, link->kind == VZ_LINK_SOFT ? "soft" : "hard", err) &&
               set_name(entry, KEY_TARGET, KEY_TARGET_BYTES, link->target, err) &&
               (!link->since || set_number(entry, KEY_SINCE, link->since, err));
    case VZ_LINK_USER:
        return is_usual_external(link) ? print_external(entry, link, err) : print_user(entry, link, err);
    }
    return vz_fail(err, VZ_INVALID, "a link of kind %d", (int)link->kind);
}

static const vz_json *member_at(const vz_json *entry, size_t index, const char *key)
{
    const char *name;
    vz_json *value;
    return vz_json_member(entry, index, &name, &value) && strcmp(name, key) == 0 ? value : NULL;
}

/* As most entries are: name, kind and order. */
bool vz_link_entry_tells(const vz_json *entry, const vz_link *link)
{
    uint64_t order;
    return link->kind == VZ_LINK_NODE && vz_json_length(entry) == 3 &&
           vz_json_get_uint64(member_at(entry, 2, KEY_ORDER), &order) && order == link->order &&
           vz_json_is(member_at(entry, 0, KEY_NAME), link->name) && vz_json_is(member_at(entry, 1, KEY_KIND), "hard") &&
           strcmp(link->name, link->segment) == 0 && !vz_link_entry_has_odd_charset(link);
}

vz_json *vz_link_entry_print(const vz_link *link, bool tracked, vz_error *err)
{
    vz_json *entry = vz_json_object(err);
    if (entry && set_name(entry, KEY_NAME, KEY_NAME_BYTES, link->name, err) && print_kind(entry, link, err) &&
        (!vz_link_entry_has_odd_charset(link) ||
         vz_json_set_text(entry, KEY_CHARSET, link->utf8 ? "utf8" : "ascii", err)) &&
        (!tracked || set_number(entry, KEY_ORDER, link->order, err)))
        return entry;
    vz_json_free(entry);
    return NULL;
}
