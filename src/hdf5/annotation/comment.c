/* comment.c - comments on objects. */
#include "hdf5/annotation/annotation.h"
#include <stdlib.h>

#define TEXT  "cmt"
#define BYTES "cmtb"

static char *decode(const char *base64, vz_error *err)
{
    vz_buffer text = {0};
    if (vz_base64_decode(base64, strlen(base64), &text, err) && vz_buffer_append(&text, "", 1, err))
        return (char *)text.data;
    vz_buffer_clear(&text);
    return NULL;
}

char *vz_comment(const vz_node *node, vz_error *err)
{
    const vz_json *text = vz_json_get(node->annotation, TEXT), *bytes = vz_json_get(node->annotation, BYTES);
    const vz_json *stored_text = text ? text : bytes;
    const char *stored = stored_text ? vz_json_get_string(stored_text, NULL) : "";
    if (!stored) {
        vz_fail(err, VZ_CORRUPT, "the comment is %s, not a string", vz_json_kind_name(stored_text));
        return NULL;
    }
    if (stored_text && stored_text == bytes)
        return decode(stored, err);
    char *copy = strdup(stored);
    if (!copy)
        vz_fail_memory(err);
    return copy;
}

static vz_json *encode(const char *text, size_t length, vz_error *err)
{
    char *base64 = vz_base64_encode(text, length, err);
    vz_json *stored_text = base64 ? vz_json_text(base64, err) : NULL;
    free(base64);
    return stored_text;
}

bool vz_comment_set(vz_node *node, const char *text, vz_error *err)
{
    const size_t length = text ? strlen(text) : 0;
    const bool is_text = vz_utf8_valid(text ? text : "", length);
    const char *key = is_text ? TEXT : BYTES, *other = is_text ? BYTES : TEXT;
    vz_json *stored_text = length == 0 ? NULL : is_text ? vz_json_text(text, err) : encode(text, length, err);
    if (length > 0 && !stored_text)
        return false;
    if ((stored_text || vz_json_get(node->annotation, key)) && !vz_annotation_set(node, key, stored_text, err))
        return false;
    return !vz_json_get(node->annotation, other) || vz_annotation_set(node, other, NULL, err);
}
