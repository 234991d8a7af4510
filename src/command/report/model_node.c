/* model_node.c - an object of the model: its facts and its attributes. */
#include "command/report/model_internal.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- facts ---- */

static bool add_sizes(vz_buffer *out, unsigned rank, const uint64_t *sizes, vz_error *err)
{
    bool ok = vz_buffer_printf(out, err, "(");
    for (unsigned i = 0; ok && i < rank; i++)
        ok = vz_buffer_printf(out, err, "%s%llu", i ? ", " : "", (unsigned long long)sizes[i]);
    return ok && vz_buffer_printf(out, err, rank == 1 ? ",)" : ")");
}

static bool set_shape(vz_json *object, const vz_sample_facts *facts, vz_error *err)
{
    vz_buffer words = {0};
    if (facts->is_null || facts->rank == 0)
        return vz_describe_set_text(object, "shape", facts->is_null ? "null" : "scalar", err);
    return add_sizes(&words, facts->rank, facts->shape, err) && vz_model_set_words(object, "shape", &words, err);
}

/* In Zarr's words if it is a store, else in HDF5's. */
static bool set_storage(vz_model *m, vz_json *object, const vz_sample_facts *facts, vz_error *err)
{
    vz_buffer words = {0};
    vz_node *node = m->store.node ? vz_subject_follow(m->store.node, facts->path, NULL) : NULL;
    bool ok = true;
    if (node && node->kind == VZ_NODE_ARRAY)
        ok = vz_describe_storage(node, &words, err);
    if (ok && words.size == 0 && facts->is_chunked)
        ok = vz_buffer_printf(&words, err, "chunks ") && add_sizes(&words, facts->rank, facts->chunk, err);
    if (ok && !node && facts->filters && *facts->filters)
        ok = vz_buffer_printf(&words, err, "%s%s", words.size ? "  " : "", facts->filters);
    if (ok && words.size)
        ok = vz_model_set_words(object, "storage", &words, err);
    vz_buffer_clear(&words);
    return ok;
}

/* As h5zarr tree has it of a store. Texts and sequences of any length have no fixed size. */
static void find_decoded(const vz_model *m, vz_model_node *node, const vz_sample_facts *facts)
{
    const vz_node *stored = m->store.node ? vz_subject_follow(m->store.node, facts->path, NULL) : NULL;
    if (stored && stored->kind == VZ_NODE_ARRAY)
        node->has_decoded = vz_describe_decoded(stored, &node->decoded);
    else
        node->has_decoded = !facts->is_variable && !facts->is_null && facts->elements != UINT64_MAX &&
                            vz_mul(facts->elements, facts->element_size, &node->decoded);
}

static bool describe_array(vz_model *m, vz_model_node *node, vz_sample_object *array, vz_error *err)
{
    const vz_sample_facts *facts = vz_sample_facts_of(array);
    vz_json *object = node->object;
    bool is_table = false;
    m->arrays++;
    node->is_array = true;
    find_decoded(m, node, facts);
    if (facts->why)
        m->unreadable++;
    return set_shape(object, facts, err) && vz_describe_set_text(object, "type", facts->type, err) &&
           set_storage(m, object, facts, err) &&
           (!facts->fill || vz_describe_set_text(object, "fill", facts->fill, err)) &&
           (!facts->why || vz_model_note(object, "notes", err, "Its elements cannot be read: %s", facts->why)) &&
           (facts->why || m->request->quick ||
            (vz_model_table(m, object, array, &is_table, err) && vz_model_figures(m, node, array, is_table, err))) &&
           (!node->has_stored || vz_json_set(object, "stored", vz_json_uint64(node->stored, err), err)) &&
           (!node->has_decoded || vz_json_set(object, "decoded", vz_json_uint64(node->decoded, err), err));
}

/* ---- attributes ---- */

typedef struct listing {
    vz_model *m;
    vz_json *list;
    uint64_t left;
} listing;

/* A text as it is, anything else as JSON; longer ones are cut between characters. */
static bool set_value(listing *l, vz_json *object, const vz_json *value, vz_error *err)
{
    vz_buffer text = {0};
    size_t length = 0;
    const char *word = vz_json_get_string(value, &length);
    bool ok = word ? vz_buffer_append(&text, word, length, err) : vz_json_print(value, 0, &text, err);
    const size_t all = text.size;
    if (ok && l->m->text_bytes > VZ_MODEL_TEXTS_MAX) {
        l->m->cut_texts++;
        vz_buffer_clear(&text);
        return vz_describe_set_text(object, "note", "not shown: the page has much text already", err);
    }
    if (ok && all > VZ_MODEL_TEXT_MAX) {
        text.size = VZ_MODEL_TEXT_MAX;
        while (text.size > 0 && text.data[text.size] >> 6 == 2)
            text.size--;
        l->m->cut_texts++;
        ok = vz_json_set(object, "bytes", vz_json_uint64(all, err), err);
    }
    const size_t shown = text.size;
    l->m->text_bytes += shown;
    if (ok && vz_utf8_valid(text.data, shown))
        ok = vz_json_set(object, "value", vz_json_string(shown ? (char *)text.data : "", shown, err), err);
    else if (ok)
        ok = vz_model_set_words(object, "value", &text, err);
    if (ok && all > VZ_MODEL_TEXT_MAX && !vz_json_get(object, "note")) {
        char note[100];
        snprintf(note, sizeof note, "(the first %zu of %zu bytes)", shown, all);
        ok = vz_describe_set_text(object, "note", note, err);
    }
    vz_buffer_clear(&text);
    return ok;
}

static bool add_attribute(void *context, const char *name, const char *type, const vz_json *value, const char *why,
                          vz_error *err)
{
    listing *l = context;
    if (vz_json_length(l->list) >= VZ_MODEL_ATTRIBUTES_MAX) {
        l->left++;
        return true;
    }
    vz_json *object = vz_json_object(err);
    const bool ok = object && vz_describe_set_text(object, "name", name, err) &&
                    (!type || vz_describe_set_text(object, "type", type, err)) &&
                    ((value && !why) || vz_describe_set_text(object, "note", why ? why : "not read", err)) &&
                    (!value || set_value(l, object, value, err));
    if (ok)
        return vz_json_append(l->list, object, err);
    vz_json_free(object);
    return false;
}

static bool describe_attributes(vz_model *m, vz_json *node, vz_sample_object *object, vz_error *err)
{
    uint64_t left = 0;
    vz_error why = VZ_ERROR_NONE;
    listing l = {.m = m, .list = vz_json_array(err)};
    bool ok = l.list != NULL;
    if (ok && !vz_sample_attributes(object, add_attribute, &l, &left, &why)) {
        m->unreadable++;
        ok = why.class == VZ_NO_MEMORY ? vz_fail_memory(err)
                                       : vz_model_note(node, "notes", err, "Attributes cannot be read: %s", why.text);
    }
    left += l.left;
    m->left_attributes += left;
    m->attributes += vz_json_length(l.list) + left;
    if (ok && left)
        ok = vz_model_note(node, "notes", err, "%llu more attributes are not shown.", (unsigned long long)left);
    if (ok && vz_json_length(l.list))
        return vz_json_set(node, "attributes", l.list, err);
    vz_json_free(l.list);
    return ok;
}

bool vz_model_describe(vz_model *m, vz_model_node *node, vz_sample_object *object, vz_error *err)
{
    static const char *const words[] = {
        [VZ_SAMPLE_GROUP] = "group", [VZ_SAMPLE_ARRAY] = "array", [VZ_SAMPLE_TYPE] = "type"};
    const vz_sample_facts *facts = vz_sample_facts_of(object);
    bool is_table = false, ok = vz_describe_set_text(node->object, "kind", words[facts->kind], err);
    if (ok && facts->kind == VZ_SAMPLE_ARRAY)
        ok = describe_array(m, node, object, err);
    else if (ok && facts->kind == VZ_SAMPLE_TYPE)
        ok = !facts->type || vz_describe_set_text(node->object, "type", facts->type, err);
    node->is_group = facts->kind == VZ_SAMPLE_GROUP;
    if (ok && node->is_group && !m->request->quick)
        ok = vz_model_table(m, node->object, object, &is_table, err);
    m->groups += node->is_group;
    m->types += facts->kind == VZ_SAMPLE_TYPE;
    return ok && describe_attributes(m, node->object, object, err);
}
