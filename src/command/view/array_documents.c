/* array_documents.c - chunks of contiguous elements in a view, and documents of its arrays. The
 * last chunk must be whole for other programs, so it should end where the elements do. */
#include "base/util/json.h"
#include "command/view/view_internal.h"
#include <stdlib.h>

#define TRIES 4096 /* lengths that are looked at */

/* The dimension that chunks divide; the array's rank: they are single elements. */
static unsigned divided(const vz_view_array *array)
{
    unsigned i = 0;
    while (i < array->meta->rank && array->chunks[i] == 1)
        i++;
    return i;
}

/* Of lengths down to half of it the one that leaves the least room in the last chunk. */
static uint64_t choose(uint64_t length, uint64_t most)
{
    uint64_t best = most, room = most;
    for (uint64_t i = most, tries = TRIES; i > most / 2 && tries-- > 0 && room > 0; i--) {
        const uint64_t rest = length % i, left = rest ? i - rest : 0;
        if (left < room) {
            room = left;
            best = i;
        }
    }
    return best;
}

bool vz_view_choose_grid(vz_view *view, vz_view_array *array, vz_error *err)
{
    const unsigned at = divided(array), rank = array->meta->rank;
    if (at == rank || array->meta->shape[at] % array->chunks[at] == 0)
        return true;
    const uint64_t length = choose(array->meta->shape[at], array->chunks[at]);
    if (length == array->chunks[at])
        return true;
    array->chunk_size = array->chunk_size / array->chunks[at] * length;
    array->chunks[at] = length;
    uint64_t *chunks = malloc(rank * sizeof *chunks);
    if (!chunks)
        return vz_fail_memory(err);
    memcpy(chunks, array->chunks, rank * sizeof *chunks);
    if (vz_strmap_put(view->grids, array->prefix, chunks, err))
        return true;
    free(chunks);
    return false;
}

/* ---- the document ---- */

static bool set_chunks(vz_json *document, const uint64_t *chunks, vz_error *err)
{
    const size_t rank = vz_json_length(vz_json_get(document, "chunks"));
    vz_json *sizes = rank > 0 ? vz_meta_print_sizes(chunks, (unsigned)rank, err) : NULL;
    return (sizes && vz_json_set(document, "chunks", sizes, err)) ||
           vz_fail(err, VZ_CORRUPT, "a document without chunks");
}

/* The last filter is what the compressor was: so kerchunk has it, and VirtualiZarr takes no
 * other form. */
static bool move_compressor(vz_json *document, vz_error *err)
{
    if (vz_json_kind_of(vz_json_get(document, "compressor")) != VZ_JSON_OBJECT)
        return true;
    vz_json *filters = vz_json_get(document, "filters"), *compressor = vz_json_detach(document, "compressor");
    vz_json *made = vz_json_kind_of(filters) == VZ_JSON_ARRAY ? vz_json_copy(filters, err) : vz_json_array(err);
    if (!made || !vz_json_append(made, compressor, err)) {
        vz_json_free(made);
        return false;
    }
    return vz_json_set(document, "filters", made, err) && vz_json_set(document, "compressor", vz_json_null(err), err);
}

/* In a store no program but ours may take chunks that lie elsewhere for missing ones. */
static bool set_marker(vz_json *document, vz_error *err)
{
    vz_json *marker = vz_json_object(err);
    if (marker && vz_json_set_text(marker, "id", VZ_META_REFERENCES_CODEC, err))
        return vz_json_set(document, "compressor", marker, err);
    vz_json_free(marker);
    return false;
}

static bool set_codecs(vz_json *document, const char *text, vz_error *err)
{
    vz_json *list = vz_json_parse(text, strlen(text), err);
    return list && vz_json_set(document, "filters", list, err) &&
           vz_json_set(document, "compressor", vz_json_null(err), err);
}

static bool finish(const vz_view *view, const char *prefix, vz_json *document, vz_error *err)
{
    const uint64_t *chunks = vz_strmap_get(view->grids, prefix);
    const bool is_listed = vz_strmap_get(view->listed, prefix) != NULL;
    const char *codecs = vz_strmap_get(view->codecs, prefix);
    return (!chunks || set_chunks(document, chunks, err)) && (!codecs || set_codecs(document, codecs, err)) &&
           move_compressor(document, err) && (!is_listed || set_marker(document, err));
}

bool vz_view_finish_document(const vz_view *view, const char *key, const char *name, vz_buffer *text, vz_error *err)
{
    const size_t length = strlen(key) - strlen(name);
    vz_buffer changed = {0};
    if (strcmp(name, ".zarray") != 0)
        return true;
    char *prefix = strndup(key, length > 0 ? length - 1 : 0);
    if (!prefix)
        return vz_fail_memory(err);
    if (view->out.into && !vz_strmap_get(view->listed, prefix)) {
        free(prefix); /* an array like any other */
        return true;
    }
    vz_json *document = vz_json_parse((const char *)text->data, text->size, err);
    const bool ok = document && finish(view, prefix, document, err) && vz_json_print(document, 0, &changed, err);
    vz_json_free(document);
    free(prefix);
    if (!ok) {
        vz_buffer_clear(&changed);
        return false;
    }
    vz_buffer_clear(text);
    *text = changed;
    return true;
}
