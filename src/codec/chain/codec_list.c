/* codec_list.c - lists of codecs as metadata names them, and numcodecs' form of one. */
#include "codec/chain/chain.h"

#include <stdlib.h>
#include <string.h>

/* ---- one codec ---- */

static void spec_clear(vz_codecs_spec *spec)
{
    free(spec->id);
    vz_json_free(spec->configuration);
    *spec = (vz_codecs_spec){0};
}

bool vz_codecs_spec_is(const vz_codecs_spec *spec, const char *id)
{
    return spec && strcmp(spec->id, id) == 0;
}

static bool spec_equal(const vz_codecs_spec *a, const vz_codecs_spec *b)
{
    return strcmp(a->id, b->id) == 0 && vz_json_equal(a->configuration, b->configuration);
}

bool vz_codecs_spec_rename(vz_codecs_spec *spec, const char *id, vz_error *err)
{
    char *copy = strdup(id);
    if (!copy)
        return vz_fail_memory(err);
    free(spec->id);
    spec->id = copy;
    return true;
}

/* ---- lists ---- */

bool vz_codecs_insert(vz_codecs *codecs, size_t place, const char *id, vz_json *configuration, vz_error *err)
{
    vz_codecs_spec spec = {.id = strdup(id), .configuration = configuration ? configuration : vz_json_object(err)};
    vz_codecs_spec *specs = realloc(codecs->specs, (codecs->count + 1) * sizeof *specs);
    if (specs)
        codecs->specs = specs;
    if (!spec.id || !spec.configuration || !specs) {
        spec_clear(&spec);
        return vz_fail_memory(err);
    }
    memmove(&specs[place + 1], &specs[place], (codecs->count - place) * sizeof *specs);
    specs[place] = spec;
    codecs->count++;
    return true;
}

bool vz_codecs_append_all(vz_codecs *codecs, const vz_codecs *more, vz_error *err)
{
    for (size_t i = 0; i < more->count; i++) {
        vz_json *configuration = vz_json_copy(more->specs[i].configuration, err);
        if (!configuration || !vz_codecs_append(codecs, more->specs[i].id, configuration, err))
            return false;
    }
    return true;
}

void vz_codecs_clear(vz_codecs *codecs)
{
    for (size_t i = 0; i < codecs->count; i++)
        spec_clear(&codecs->specs[i]);
    free(codecs->specs);
    *codecs = (vz_codecs){0};
}

bool vz_codecs_equal(const vz_codecs *a, const vz_codecs *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = spec_equal(&a->specs[i], &b->specs[i]);
    return same;
}

/* ---- numcodecs' form ---- */

bool vz_codecs_append_numcodecs(vz_codecs *codecs, const vz_json *codec, vz_error *err)
{
    const char *id = vz_json_get_string(vz_json_get(codec, "id"), NULL);
    if (!id)
        return vz_fail(err, VZ_CORRUPT, "a codec must be an object with an \"id\", not %s", vz_json_kind_name(codec));
    vz_json *configuration = vz_json_copy(codec, err);
    if (!configuration)
        return false;
    vz_json_remove(configuration, "id");
    return vz_codecs_append(codecs, id, configuration, err);
}

vz_json *vz_codecs_spec_print(const vz_codecs_spec *spec, vz_error *err)
{
    const char *key;
    vz_json *value, *codec = vz_json_object(err);
    bool ok = codec && vz_json_set_text(codec, "id", spec->id, err);
    for (size_t i = 0; ok && vz_json_member(spec->configuration, i, &key, &value); i++)
        ok = vz_json_set(codec, key, vz_json_copy(value, err), err);
    if (ok)
        return codec;
    vz_json_free(codec);
    return NULL;
}

bool vz_codecs_spec_means(const vz_codecs_spec *spec, const vz_json *codec)
{
    const char *key;
    vz_json *value;
    if (!vz_json_is(vz_json_get(codec, "id"), spec->id) ||
        vz_json_length(codec) != vz_json_length(spec->configuration) + 1)
        return false;
    for (size_t i = 0; vz_json_member(spec->configuration, i, &key, &value); i++) {
        const vz_json *theirs = vz_json_get(codec, key);
        if (!theirs || !vz_json_equal(theirs, value))
            return false;
    }
    return true;
}
