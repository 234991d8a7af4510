/* info.c - h5zarr info: facts about one node and its store. */
#include "command/command/command.h"
#include <stdlib.h>

#define LABEL_COLUMNS 16
#define VALUE_MAX     100 /* bytes of a value in text */

/* ---- the store ---- */

static bool add_leftover(void *context, const vz_leftover *leftover, vz_error *err)
{
    if (leftover->doubt)
        return true;
    vz_json *object = vz_json_object(err);
    if (object && vz_describe_set_text(object, "path", leftover->path, err) &&
        vz_json_set(object, "writer_died", vz_json_bool(leftover->is_dead, err), err) &&
        vz_json_set(object, "journal", vz_json_bool(leftover->has_journal, err), err))
        return vz_json_append(context, object, err);
    vz_json_free(object);
    return false;
}

static bool add_unfinished(vz_store *store, vz_json *object, vz_error *err)
{
    vz_json *list = vz_json_array(err);
    if (list && vz_store_each_leftover(store, add_leftover, list, err))
        return vz_json_length(list) ? vz_json_set(object, "unfinished", list, err) : (vz_json_free(list), true);
    vz_json_free(list);
    return false;
}

/* Is there a copy of the documents at the root, wherever its format keeps that? */
static bool add_consolidated(vz_hierarchy *hierarchy, vz_json *object, vz_error *err)
{
    const vz_zarr_format *zarr_format = vz_hierarchy_zarr_format(hierarchy);
    const char *key = zarr_format->consolidated ? zarr_format->consolidated : zarr_format->group;
    vz_store *store = vz_hierarchy_store(hierarchy);
    vz_buffer text = {.limit = VZ_DOCUMENT_MAX_SIZE};
    bool has = false;
    size_t start, length;
    bool ok = zarr_format->consolidated ? vz_store_has(store, key, &has, err)
                                        : vz_store_get(store, key, VZ_WHOLE, &text, &has, err);
    if (ok && has && !zarr_format->consolidated)
        has = vz_json_find_object((const char *)text.data, text.size, VZ_CONSOLIDATED, &start, &length);
    vz_buffer_clear(&text);
    return ok && vz_json_set(object, "consolidated", vz_json_bool(has, err), err);
}

static vz_json *describe_store(vz_hierarchy *hierarchy, vz_error *err)
{
    vz_store *store = vz_hierarchy_store(hierarchy);
    const vz_node *root = vz_hierarchy_root(hierarchy);
    const vz_json *dialect = vz_json_get(root->annotation, "d");
    vz_json *object = vz_json_object(err);
    bool ok =
        object && vz_describe_set_text(object, "path", store->path, err) &&
        vz_describe_set_text(object, "kind", store->class->kind, err) &&
        vz_json_set(object, "zarr_format", vz_json_int64(vz_hierarchy_zarr_format(hierarchy)->format, err), err) &&
        vz_json_set(object, "by_vol_zarr", vz_json_bool(vz_hierarchy_is_ours(hierarchy), err), err);
    if (ok && dialect)
        ok = vz_json_set(object, "dialect", vz_json_copy(dialect, err), err);
    if (ok && add_consolidated(hierarchy, object, err) && add_unfinished(store, object, err))
        return object;
    vz_json_free(object);
    return NULL;
}

/* ---- the node ---- */

static bool add_array(vz_node *array, vz_json *object, vz_error *err)
{
    vz_command_stored_size stored;
    uint64_t decoded;
    vz_buffer storage = {0};
    const vz_json *fill = vz_json_get(array->document, "fill_value");
    const vz_json *names =
        array->zarr_format->dimension_names ? vz_json_get(array->document, array->zarr_format->dimension_names) : NULL;
    if (!vz_node_understood(array))
        return true;
    bool ok =
        vz_describe_codecs(array, &storage, err) &&
        vz_describe_set_text(object, "codecs", (const char *)storage.data, err) &&
        (!fill || vz_json_set(object, "fill_value", vz_json_copy(fill, err), err)) &&
        (!names || vz_json_set(object, "dimension_names", vz_json_copy(names, err), err)) &&
        vz_describe_stored(array, &stored, err) &&
        (!stored.is_known || vz_json_set(object, array->meta->shard_levels ? "shards_stored" : "chunks_stored",
                                         vz_json_uint64(stored.values, err), err)) &&
        vz_json_set(object, array->meta->shard_levels ? "shards_possible" : "chunks_possible",
                    vz_json_uint64(vz_describe_possible(array), err), err) &&
        (!stored.is_known || vz_json_set(object, "stored", vz_json_uint64(stored.bytes, err), err)) &&
        (!vz_describe_decoded(array, &decoded) || vz_json_set(object, "decoded", vz_json_uint64(decoded, err), err));
    vz_buffer_clear(&storage);
    return ok;
}

static vz_json *describe_node(vz_node *node, vz_error *err)
{
    uint64_t members = 0;
    char *path = vz_node_path(node, err);
    vz_json *object = path ? vz_json_object(err) : NULL;
    bool ok = object && vz_describe_set_text(object, "path", path, err) && vz_describe_json(node, object, err);
    if (ok && node->kind == VZ_NODE_GROUP)
        ok = vz_group_count(node, &members, err) && vz_json_set(object, "members", vz_json_uint64(members, err), err);
    else
        ok = ok && add_array(node, object, err);
    ok = ok && vz_json_set(object, "attributes", vz_json_copy(node->attributes, err), err) &&
         (!vz_json_length(node->annotation) ||
          vz_json_set(object, VZ_ANNOTATION, vz_json_copy(node->annotation, err), err));
    free(path);
    if (ok)
        return object;
    vz_json_free(object);
    return NULL;
}

/* ---- printing ---- */

/* As JSON, cut where it is long. */
static bool print_value(const vz_json *value, vz_error *err)
{
    vz_buffer text = {0};
    char shown[VALUE_MAX + sizeof " ..."];
    const char *word = vz_json_get_string(value, NULL);
    bool ok = word ? vz_buffer_printf(&text, err, "%s", word) : vz_json_print(value, 0, &text, err);
    if (ok) {
        size_t size = text.size < VALUE_MAX ? text.size : VALUE_MAX;
        /* between characters */
        while (size > 0 && size < text.size && ((const uint8_t *)text.data)[size] >> 6 == 2)
            size--;
        snprintf(shown, sizeof shown, "%.*s%s", (int)size, (const char *)text.data, size < text.size ? " ..." : "");
        vz_say_text(stdout, shown);
        putchar('\n');
    }
    vz_buffer_clear(&text);
    return ok;
}

static bool print_members(const vz_json *object, const char *indent, vz_error *err)
{
    const char *name;
    vz_json *value;
    bool ok = true;
    for (size_t i = 0; ok && vz_json_member(object, i, &name, &value); i++) {
        const size_t used = strlen(indent) + strlen(name);
        fputs(indent, stdout);
        vz_say_text(stdout, name);
        const bool is_object = vz_json_kind_of(value) == VZ_JSON_OBJECT && !*indent && vz_json_length(value);
        if (is_object) {
            putchar('\n');
            ok = print_members(value, "  ", err);
            continue;
        }
        printf("%*s", used + 2 < LABEL_COLUMNS ? (int)(LABEL_COLUMNS - used) : 2, "");
        ok = print_value(value, err);
    }
    return ok;
}

static bool print_text(const vz_json *all, vz_error *err)
{
    const vz_json *node = vz_json_get(all, "node"), *store = vz_json_get(all, "store");
    printf("%sstore%s\n", vz_say_colour(VZ_COLOUR_GROUP), vz_say_colour(VZ_COLOUR_PLAIN));
    if (!print_members(store, "", err))
        return false;
    printf("\n%s%s%s\n", vz_say_colour(VZ_COLOUR_GROUP), vz_json_get_string(vz_json_get(node, "kind"), NULL),
           vz_say_colour(VZ_COLOUR_PLAIN));
    return print_members(node, "", err);
}

static bool print_json(const vz_json *all, vz_error *err)
{
    vz_buffer text = {0};
    const bool ok = vz_json_print(all, 2, &text, err);
    if (ok)
        printf("%.*s\n", (int)text.size, (const char *)text.data);
    vz_buffer_clear(&text);
    return ok;
}

static vz_exit run(const vz_command_call *call)
{
    vz_error err = VZ_ERROR_NONE;
    vz_subject subject;
    const char *path = call->operands[0];
    if (!vz_subject_open_in_store(path, &subject, &err))
        return vz_say_failure(&err, path);
    vz_json *all = vz_json_object(&err);
    const bool ok = all && vz_json_set(all, "store", describe_store(subject.hierarchy, &err), &err) &&
                    vz_json_set(all, "node", describe_node(subject.node, &err), &err) &&
                    (vz_command_has(call, "json") ? print_json(all, &err) : print_text(all, &err));
    const bool is_readable = !ok || subject.node->kind == VZ_NODE_GROUP || subject.node->meta;
    vz_json_free(all);
    vz_subject_close(&subject);
    if (!ok)
        return vz_say_failure(&err, path);
    return is_readable ? VZ_EXIT_FINE : VZ_EXIT_FAILED;
}

static const vz_command_option options[] = {
    {0, "json", NULL, "a JSON object; attributes stand in it whole"},
    {0},
};

const vz_command vz_command_info = {
    .name = "info",
    .summary = "tells all of one group or array, and of its store",
    .usage = "STORE[/PATH]",
    .description =
        "Of the store: its kind and format, whether this connector made it, whether there is consolidated metadata "
        "(h5zarr check tells whether that is stale), and what writers have not finished. Of the node: its metadata, "
        "how many of its chunks are there, attributes, and the annotation that tells HDF5 programs more.",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run,
};
