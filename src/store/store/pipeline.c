/* pipeline.c - names of ZEP 8: "x.zip|zip:path", "x|icechunk:@tag.v1/path". */
#include "store/store/kind_internal.h"
#include "base/os/file.h"
#include <stdlib.h>

#define ADAPTERS_MAX 4

/* Behind an adapter's word at `text`, and its colon; NULL: it is none. Behind it stands
 * a path inside, or (with *kind) a word for a kind of store. */
static const char *behind_adapter(const char *text, const vz_store_kind **kind)
{
    static const char *const words[] = {"zip:", "zarr:", "zarr2:", "zarr3:"};
    const vz_store_kind *const *kinds = vz_store_get_kinds();
    *kind = NULL;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(text, words[i], strlen(words[i])) == 0)
            return text + strlen(words[i]);
    for (size_t i = 0; kinds[i]; i++)
        if (kinds[i]->adapter && strncmp(text, kinds[i]->adapter, strlen(kinds[i]->adapter)) == 0) {
            *kind = kinds[i];
            return text + strlen(kinds[i]->adapter);
        }
    return NULL;
}

static bool take_path(vz_buffer *inside, const char *part, size_t size, vz_error *err)
{
    const size_t slashes = strspn(part, "/");
    if (slashes >= size)
        return true;
    part += slashes;
    size -= slashes;
    while (size > 0 && part[size - 1] == '/')
        size--;
    return vz_buffer_printf(inside, err, "%s%.*s", inside->size ? "/" : "", (int)size, part);
}

static bool take_word(vz_location_pipeline *pipeline, const vz_buffer *inside, const vz_store_kind *kind,
                      const char *part, size_t size, vz_error *err)
{
    if (pipeline->kind || inside->size > 0)
        return vz_fail(err, VZ_UNSUPPORTED, "\"%s\" behind a path inside of a store", kind->adapter);
    pipeline->kind = kind;
    pipeline->word = strndup(part, size);
    return pipeline->word || vz_fail_memory(err);
}

const char *vz_location_pipeline_find(const char *name)
{
    const vz_store_kind *kind;
    const char *bar = strchr(name, '|');
    return bar && behind_adapter(bar + 1, &kind) ? bar : NULL;
}

bool vz_location_pipeline_parse(const char *name, vz_location_pipeline *pipeline, vz_error *err)
{
    const vz_store_kind *kind;
    const char *bar = name;
    vz_buffer inside = {0};
    bool ok = true;
    for (unsigned i = 0; ok && bar; i++) {
        const char *part = behind_adapter(bar + 1, &kind);
        if (!part || i == ADAPTERS_MAX) {
            ok = vz_fail(err, VZ_UNSUPPORTED,
                         "\"%.60s\" in a name: zip:, zarr:, zarr2:, zarr3: and icechunk: are known", bar);
            break;
        }
        const size_t size = strcspn(part, "|");
        ok = kind ? take_word(pipeline, &inside, kind, part, size, err) : take_path(&inside, part, size, err);
        bar = part[size] ? part + size : NULL;
    }
    ok = ok && vz_buffer_append(&inside, "", 1, err);
    if (ok)
        pipeline->inside = (char *)inside.data;
    else
        vz_buffer_clear(&inside);
    return ok;
}

bool vz_location_pipeline_split(const char *path, vz_location_pipeline *pipeline, vz_error *err)
{
    const char *bar = vz_location_pipeline_find(path);
    *pipeline = (vz_location_pipeline){0};
    if (!bar || vz_os_path_is_there(path))
        return true;
    pipeline->base = strndup(path, (size_t)(bar - path));
    return pipeline->base ? vz_location_pipeline_parse(bar, pipeline, err) : vz_fail_memory(err);
}

void vz_location_pipeline_clear(vz_location_pipeline *pipeline)
{
    free(pipeline->base);
    free(pipeline->word);
    free(pipeline->inside);
    *pipeline = (vz_location_pipeline){0};
}
