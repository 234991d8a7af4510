/* model_figures.c - of an array: a picture or its first elements, a map of its chunks, and its
 * statistics. All of that is bounded where it is made (command/sample), and the time of all arrays
 * here. */
#include "base/os/process.h"
#include "command/report/model_internal.h"
#include <stdlib.h>

/* ---- elements ---- */

static size_t count_states(const vz_sample_picture *picture)
{
    size_t count = 0;
    for (size_t i = 0; i < (size_t)picture->width * picture->height; i++)
        count += picture->states[i] != VZ_PIXEL_VALUE;
    return count;
}

static bool is_curve(const vz_sample_picture *picture)
{
    return picture->scaling == VZ_SAMPLE_CURVE || picture->scaling == VZ_SAMPLE_CURVE_STRIDED;
}

static bool picture_words(const vz_sample_picture *picture, const vz_sample_facts *facts, vz_buffer *words,
                          vz_error *err)
{
    const size_t without = is_curve(picture) ? 0 : count_states(picture);
    bool ok = vz_sample_part_text(facts, &picture->part, words, err);
    if (ok && is_curve(picture))
        ok = vz_buffer_printf(words, err, ", a curve from %.6g at the bottom to %.6g at the top", picture->low,
                              picture->high);
    else if (ok && picture->channels == 1)
        ok = vz_buffer_printf(words, err, ", from black for %.6g to white for %.6g", picture->low, picture->high);
    else if (ok)
        ok = vz_buffer_printf(words, err, ", in their colours");
    ok = ok && vz_buffer_printf(words, err, ", %s", vz_sample_scaling_words(picture->scaling));
    return ok && (!without || vz_buffer_printf(words, err, "; %zu of %zu pixels have no value, and are hatched",
                                               without, (size_t)picture->width * picture->height));
}

static bool set_picture(vz_json *object, const vz_sample_picture *picture, const vz_sample_facts *facts, vz_error *err)
{
    vz_buffer png = {0}, words = {0};
    vz_json *made = vz_json_object(err);
    bool ok = made && vz_sample_png(picture, 1, &png, err) && picture_words(picture, facts, &words, err) &&
              vz_json_set(made, "width", vz_json_uint64(picture->width, err), err) &&
              vz_json_set(made, "height", vz_json_uint64(picture->height, err), err) &&
              vz_model_set_words(made, "text", &words, err);
    char *base64 = ok ? vz_base64_encode(png.data, png.size, err) : NULL;
    ok = base64 && vz_json_set_text(made, "png", base64, err);
    free(base64);
    vz_buffer_clear(&png);
    vz_buffer_clear(&words);
    if (ok)
        return vz_json_set(object, "picture", made, err);
    vz_json_free(made);
    return false;
}

/* A row of the last dimension, at the beginning of all others. */
static bool first_elements(vz_json *object, vz_sample_object *array, vz_error *err)
{
    const vz_sample_facts *facts = vz_sample_facts_of(array);
    vz_sample_part part;
    vz_buffer words = {0};
    vz_error why = VZ_ERROR_NONE;
    if (facts->elements == 0 || facts->is_null)
        return true;
    vz_sample_part_all(facts, &part);
    for (unsigned i = 0; i < part.rank; i++) {
        const uint64_t most = i + 1 < part.rank ? 1 : VZ_MODEL_ELEMENTS_MAX;
        part.count[i] = part.count[i] < most ? part.count[i] : most;
    }
    vz_sample_values *values = vz_sample_read(array, &part, &why);
    if (!values)
        return why.class == VZ_NO_MEMORY
                   ? vz_fail_memory(err)
                   : vz_model_note(object, "notes", err, "Its first elements cannot be read: %s", why.text);
    const size_t count = vz_sample_values_count(values);
    bool ok = true;
    for (size_t i = 0; ok && i < count && words.size < VZ_MODEL_TEXT_MAX; i++)
        ok = (i == 0 || vz_buffer_printf(&words, err, "\n")) && vz_sample_value_text(values, i, &words, err);
    ok = ok && (count >= facts->elements || vz_buffer_printf(&words, err, "\n..."));
    vz_sample_values_free(values);
    ok = ok && vz_model_set_words(object, "elements", &words, err);
    vz_buffer_clear(&words);
    return ok;
}

static bool elements(vz_model *m, vz_json *object, vz_sample_object *array, vz_error *err)
{
    vz_sample_picture picture = {0};
    vz_error why = VZ_ERROR_NONE;
    bool has = false;
    const unsigned height = vz_sample_facts_of(array)->rank == 1 ? VZ_MODEL_CURVE_HEIGHT : VZ_MODEL_PIXELS_MAX;
    if (!vz_sample_picture_make(array, NULL, VZ_MODEL_PIXELS_MAX, height, &picture, &has, &why)) {
        m->unreadable++;
        return why.class == VZ_NO_MEMORY ? vz_fail_memory(err)
                                         : vz_model_note(object, "notes", err, "There is no picture: %s", why.text);
    }
    if (!has)
        return first_elements(object, array, err);
    const bool is_empty = count_states(&picture) == (size_t)picture.width * picture.height;
    const bool ok = is_empty || set_picture(object, &picture, vz_sample_facts_of(array), err);
    vz_sample_picture_clear(&picture);
    return ok;
}

/* ---- chunks ---- */

/* How much of a cell is stored, or how large it is beside the largest: 0 to 100. */
static int64_t share_of(const vz_sample_cell *cell, uint64_t largest)
{
    const double share = largest ? 100.0 * (double)cell->bytes / (double)largest : 0;
    return !cell->stored ? 0 : share < 1 ? 1 : (int64_t)share;
}

static bool chunk_words(const vz_sample_chunks *chunks, vz_buffer *words, vz_error *err)
{
    char smallest[VZ_SAY_SIZE], largest[VZ_SAY_SIZE], whole[VZ_SAY_SIZE];
    bool ok = chunks->possible == UINT64_MAX
                  ? vz_buffer_printf(words, err, "%llu chunks are stored", (unsigned long long)chunks->stored)
                  : vz_buffer_printf(words, err, "%llu of %llu chunks are stored", (unsigned long long)chunks->stored,
                                     (unsigned long long)chunks->possible);
    if (ok && chunks->stored)
        ok = vz_buffer_printf(words, err, ", of %s to %s", vz_say_size(chunks->smallest, smallest),
                              vz_say_size(chunks->largest, largest));
    if (ok && chunks->stored && chunks->chunk_bytes)
        ok = vz_buffer_printf(words, err, " for %s", vz_say_size(chunks->chunk_bytes, whole));
    if (ok && (uint64_t)chunks->rows * chunks->columns < chunks->possible)
        ok = vz_buffer_printf(words, err, "; a square stands for several chunks");
    return ok && (chunks->is_complete || vz_buffer_printf(words, err, "; not all were listed: %s", chunks->why));
}

static bool set_cells(vz_json *map, const vz_sample_chunks *chunks, vz_error *err)
{
    uint64_t largest = 0;
    vz_json *cells = vz_json_array(err);
    const size_t count = (size_t)chunks->rows * chunks->columns;
    bool ok = cells != NULL;
    for (size_t i = 0; i < count; i++)
        largest = chunks->cells[i].bytes > largest ? chunks->cells[i].bytes : largest;
    for (size_t i = 0; ok && i < count; i++)
        ok = vz_json_append(cells, vz_json_int64(share_of(&chunks->cells[i], largest), err), err);
    if (ok)
        return vz_json_set(map, "cells", cells, err);
    vz_json_free(cells);
    return false;
}

static bool set_map(vz_json *object, const vz_sample_chunks *chunks, vz_error *err)
{
    vz_buffer words = {0};
    vz_json *map = vz_json_object(err);
    const bool ok = map && chunk_words(chunks, &words, err) &&
                    vz_json_set(map, "columns", vz_json_uint64(chunks->columns, err), err) &&
                    vz_json_set(map, "rows", vz_json_uint64(chunks->rows, err), err) &&
                    vz_model_set_words(map, "text", &words, err) && set_cells(map, chunks, err);
    vz_buffer_clear(&words);
    if (ok)
        return vz_json_set(object, "map", map, err);
    vz_json_free(map);
    return false;
}

static bool chunks(vz_model *m, vz_model_node *node, vz_sample_object *array, vz_error *err)
{
    vz_sample_chunks of = {0};
    vz_error why = VZ_ERROR_NONE;
    const bool ok = vz_sample_chunks_map(array, VZ_MODEL_SQUARES_MAX, VZ_MODEL_SQUARES_MAX, &of, &why);
    if (!ok || !of.is_known || (!of.is_complete && !of.stored)) {
        const char *cause = ok ? of.why : why.text;
        m->has_unknown_chunks = true;
        const bool noted =
            why.class == VZ_NO_MEMORY
                ? vz_fail_memory(err)
                : vz_model_note(node->object, "notes", err, "It is not known which chunks are stored: %s", cause);
        vz_sample_chunks_clear(&of);
        return noted;
    }
    m->chunks += of.stored;
    m->has_unknown_chunks |= !of.is_complete;
    node->has_stored = of.is_complete;
    node->stored = of.bytes;
    const bool is_set = of.possible <= 1 || set_map(node->object, &of, err);
    vz_sample_chunks_clear(&of);
    return is_set;
}

bool vz_model_figures(vz_model *m, vz_model_node *node, vz_sample_object *array, bool is_table, vz_error *err)
{
    if (m->left_figures || m->arrays > VZ_MODEL_FIGURES_MAX || vz_os_now_ns() > m->deadline) {
        m->left_figures++;
        m->has_unknown_chunks = true;
        return vz_model_note(node->object, "notes", err, "Its elements and chunks were not looked at.");
    }
    return chunks(m, node, array, err) && vz_model_statistics(m, node->object, array, NULL, err) &&
           (is_table || elements(m, node->object, array, err));
}
