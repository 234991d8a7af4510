/* attribute_name.c - see attribute_name.h. */
#include "map/attribute_name.h"
#include "map/odd_name.h"
#include <stdio.h>
#include <stdlib.h>

#define NAMES "an"

static vz_json *odd_names(const vz_node *node)
{
    return vz_json_get(node->annotation, NAMES);
}

bool vz_attribute_keys_are_odd(const vz_node *node)
{
    return vz_json_length(odd_names(node)) > 0;
}

static bool needs_escape(const vz_node *node, const char *name)
{
    return vz_attribute_is_hidden(node, name) || !vz_utf8_valid(name, strlen(name));
}

const char *vz_attribute_key(const vz_node *node, const char *name)
{
    const vz_json *odd = odd_names(node);
    const char *key;
    vz_json *value;
    if (vz_json_length(odd) == 0)
        return needs_escape(node, name) ? NULL : name;
    char *base64 = vz_base64_encode(name, strlen(name), NULL);
    for (size_t i = 0; base64 && vz_json_member(odd, i, &key, &value); i++)
        if (vz_json_is(value, base64)) {
            free(base64);
            return key;
        }
    free(base64);
    return needs_escape(node, name) || vz_json_get(odd, name) ? NULL : name;
}

const char *vz_attribute_name_of(const vz_node *node, const char *key)
{
    static vz_buffer decoded; /* state of the module instance */
    size_t length = 0;
    const char *base64 = vz_json_get_string(vz_json_get(odd_names(node), key), &length);
    decoded.size = 0;
    if (!base64 || !vz_base64_decode(base64, length, &decoded, NULL) || memchr(decoded.data, 0, decoded.size) ||
        !vz_buffer_append(&decoded, "", 1, NULL) || decoded.size == 1)
        return key;
    return (const char *)decoded.data;
}

/* A key that no attribute has. */
static char *free_key(const vz_node *node, const char *name, vz_error *err)
{
    vz_buffer key = {0};
    bool ok = vz_odd_name_escape(&key, name, err);
    const size_t length = key.size;
    ok = ok && vz_buffer_append(&key, "", 1, err);
    for (unsigned i = 2; ok && vz_node_attribute(node, (const char *)key.data); i++) {
        key.size = length;
        ok = vz_buffer_printf(&key, err, "%%~%u", i) && vz_buffer_append(&key, "", 1, err);
    }
    char *copy = ok ? strdup((const char *)key.data) : NULL;
    if (ok && !copy)
        vz_fail_memory(err);
    vz_buffer_clear(&key);
    return copy;
}

static bool note(vz_node *node, const char *key, const char *name, vz_error *err)
{
    char *base64 = vz_base64_encode(name, strlen(name), err);
    vz_json *text = base64 ? vz_json_text(base64, err) : NULL, *odd = odd_names(node);
    free(base64);
    if (text && odd)
        return vz_json_set(odd, key, text, err) && vz_node_annotated(node, err);
    odd = text ? vz_json_object(err) : NULL;
    if (odd && vz_json_set(odd, key, text, err))
        return vz_note_set(node, NAMES, odd, err);
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
    if (key && note(node, key, name, err))
        return key;
    free(key);
    return NULL;
}

bool vz_attribute_key_forget(vz_node *node, const char *key, vz_error *err)
{
    vz_json *odd = odd_names(node);
    if (!vz_json_remove(odd, key))
        return true;
    return vz_json_length(odd) == 0 ? vz_note_set(node, NAMES, NULL, err) : vz_node_annotated(node, err);
}
