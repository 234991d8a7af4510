/* attribute_name.c - the key in JSON of an attribute's name. */
#include "hdf5/attributes/attributes.h"
#include "hdf5/annotation/annotation.h"
#include "hdf5/attributes/attributes_internal.h"
#include <stdio.h>
#include <stdlib.h>

#define NAMES         "an"
#define SAME_FORM_MAX 8 /* names that one escaped form may stand for */
/* entries that are looked through one by one, where the key is none that is made here */
#define FEW      64
#define VERY_FEW 8

#define EMPTY "%empty" /* what the empty key is called */

static vz_json *odd_names(const vz_node *node)
{
    return vz_json_get(node->annotation, NAMES);
}

/* HDF5 has no empty name, and JSON has an empty key. Few keys are looked at one by one. */
static bool has_empty_key(const vz_node *node)
{
    const char *key;
    vz_json *value;
    if (vz_json_length(node->attributes) > VERY_FEW)
        return vz_node_has_attribute(node, "");
    for (size_t i = 0; vz_json_member(node->attributes, i, &key, &value); i++)
        if (!*key)
            return true;
    return false;
}

bool vz_attribute_keys_are_escaped(const vz_node *node)
{
    return vz_json_length(odd_names(node)) > 0 || has_empty_key(node);
}

static bool needs_escape(const vz_node *node, const char *name)
{
    return vz_attribute_is_hidden(node, name) || !vz_utf8_valid(name, strlen(name));
}

/* The n-th key that may stand for a name whose escaped form, `length` bytes, `key` begins with. */
static bool nth_key(vz_buffer *key, size_t length, unsigned n, vz_error *err)
{
    key->size = length;
    return (n == 1 || vz_buffer_printf(key, err, "%%~%u", n)) && vz_buffer_append(key, "", 1, err);
}

/* The name that the empty key shows: one that no attribute has. */
static const char *name_of_empty(const vz_node *node)
{
    static char name[sizeof EMPTY "%~" + VZ_DECIMAL_SIZE]; /* state of the module instance */
    snprintf(name, sizeof name, "%s", EMPTY);
    for (unsigned n = 2; vz_node_has_attribute(node, name); n++)
        snprintf(name, sizeof name, "%s%%~%u", EMPTY, n);
    return name;
}

static bool is_name_of_empty(const vz_node *node, const char *name)
{
    return *name == *EMPTY && has_empty_key(node) && strcmp(name, name_of_empty(node)) == 0;
}

static const char *key_if_entered(const vz_json *odd, const char *key, const char *base64)
{
    const char *own = NULL;
    const ptrdiff_t place = vz_json_is(vz_json_get(odd, key), base64) ? vz_json_index(odd, key) : -1;
    return place >= 0 && vz_json_member(odd, (size_t)place, &own, NULL) ? own : NULL;
}

/* By the keys that are made for such a name, since another program may have entered very many. */
static const char *find_by_escaped_form(const vz_json *odd, const char *name, const char *base64)
{
    vz_buffer key = {0};
    const char *found = NULL;
    bool ok = vz_unusual_name_escape(&key, name, NULL);
    const size_t length = key.size;
    for (unsigned n = 1; ok && !found && n <= SAME_FORM_MAX; n++)
        if ((ok = nth_key(&key, length, n, NULL)))
            found = key_if_entered(odd, (const char *)key.data, base64);
    vz_buffer_clear(&key);
    return found;
}

static const char *find_among_few(const vz_json *odd, const char *base64)
{
    const char *key;
    vz_json *value;
    for (size_t i = 0; vz_json_length(odd) <= FEW && vz_json_member(odd, i, &key, &value); i++)
        if (vz_json_is(value, base64))
            return key;
    return NULL;
}

/* The name, NUL-terminated, that the entry of a key tells; false: there is none, or none that a
 * search would find. */
static bool read_entry(const vz_json *odd, const char *key, vz_buffer *name)
{
    size_t length = 0;
    const char *base64 = vz_json_get_string(vz_json_get(odd, key), &length);
    name->size = 0;
    if (!base64 || !vz_base64_decode(base64, length, name, NULL) || memchr(name->data, 0, name->size) ||
        !vz_buffer_append(name, "", 1, NULL) || name->size == 1)
        return false;
    if (vz_json_length(odd) <= FEW)
        return true;
    const char *found = find_by_escaped_form(odd, (const char *)name->data, base64);
    return found && strcmp(found, key) == 0;
}

static bool is_entered(const vz_json *odd, const char *key)
{
    vz_buffer name = {0};
    const bool entered = vz_json_get(odd, key) && read_entry(odd, key, &name);
    vz_buffer_clear(&name);
    return entered;
}

const char *vz_attribute_key(const vz_node *node, const char *name)
{
    const vz_json *odd = odd_names(node);
    if (is_name_of_empty(node, name))
        return "";
    if (vz_json_length(odd) == 0)
        return needs_escape(node, name) ? NULL : name;
    char *base64 = vz_base64_encode(name, strlen(name), NULL);
    const char *key = base64 ? find_by_escaped_form(odd, name, base64) : NULL;
    if (base64 && !key)
        key = find_among_few(odd, base64);
    free(base64);
    if (key)
        return key;
    return needs_escape(node, name) || is_entered(odd, name) ? NULL : name;
}

const char *vz_attribute_name_of(const vz_node *node, const char *key)
{
    static vz_buffer decoded; /* state of the module instance */
    if (!*key)
        return name_of_empty(node);
    return read_entry(odd_names(node), key, &decoded) ? (const char *)decoded.data : key;
}

/* A key that no attribute has. */
static char *free_key(const vz_node *node, const char *name, vz_error *err)
{
    vz_buffer key = {0};
    bool ok = vz_unusual_name_escape(&key, name, err);
    const size_t length = key.size;
    ok = ok && nth_key(&key, length, 1, err);
    for (unsigned n = 2; ok && vz_node_has_attribute(node, (const char *)key.data); n++)
        ok = n <= SAME_FORM_MAX
                 ? nth_key(&key, length, n, err)
                 : vz_fail(err, VZ_LIMIT, "more than %d attributes whose names look nth_key", SAME_FORM_MAX);
    char *copy = ok ? strdup((const char *)key.data) : NULL;
    if (ok && !copy)
        vz_fail_memory(err);
    vz_buffer_clear(&key);
    return copy;
}

static bool enter(vz_node *node, const char *key, const char *name, vz_error *err)
{
    char *base64 = vz_base64_encode(name, strlen(name), err);
    vz_json *text = base64 ? vz_json_text(base64, err) : NULL, *odd = odd_names(node);
    free(base64);
    if (text && odd)
        return vz_json_set(odd, key, text, err) && vz_node_annotated(node, err);
    odd = text ? vz_json_object(err) : NULL;
    if (odd && vz_json_set(odd, key, text, err))
        return vz_annotation_set(node, NAMES, odd, err);
    if (!odd)
        vz_json_free(text);
    vz_json_free(odd);
    return false;
}

char *vz_attribute_key_new(vz_node *node, const char *name, vz_error *err)
{
    char *key = NULL;
    if (!needs_escape(node, name) && !vz_json_get(odd_names(node), name)) {
        key = strdup(name);
        if (!key)
            vz_fail_memory(err);
        return key;
    }
    key = free_key(node, name, err);
    if (key && enter(node, key, name, err))
        return key;
    free(key);
    return NULL;
}

bool vz_attribute_key_forget(vz_node *node, const char *key, vz_error *err)
{
    vz_json *odd = odd_names(node);
    if (!vz_json_remove(odd, key))
        return true;
    return vz_json_length(odd) == 0 ? vz_annotation_set(node, NAMES, NULL, err) : vz_node_annotated(node, err);
}
