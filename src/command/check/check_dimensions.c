/* check_dimensions.c - names of dimensions in a group that contradict each other. Programs of
 * netCDF and xarray do not open such a group, or see something else than an annotation says. */
#include "command/check/check_internal.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define BELOW_MAX ((size_t)16384) /* names in groups below that are remembered */

/* A name, as the first array had it that was met. */
struct dimension {
    uint64_t length;
    char *array;
    bool is_declared; /* the group has a variable of that name */
};

struct vz_check_dimensions {
    vz_strmap *names; /* struct dimension */
    vz_strmap *below; /* those of groups below that do not declare them: "LENGTH NAME" */
    vz_json *note;    /* the group's annotation; NULL: none */
    bool is_others;   /* names mean something else: the group, or one above, is no netCDF */
    char *nameless;   /* the first array without names; NULL: there is none */
    uint64_t nameless_count;
    vz_check_dimensions *above;
};

static void free_dimension(void *value)
{
    struct dimension *dimension = value;
    free(dimension->array);
    free(dimension);
}

static vz_json *note_of(const vz_json *attributes)
{
    size_t length = 0;
    const vz_json *value = vz_json_get(attributes, VZ_ANNOTATION_NETCDF);
    const char *text = vz_json_get_string(value ? value : vz_json_get(attributes, VZ_ANNOTATION), &length);
    return text ? vz_json_parse(text, length, NULL) : NULL;
}

/* Attributes of AnnData, OME-Zarr and NWB, whose names of dimensions need not agree. */
static bool is_others(const vz_json *attributes)
{
    static const char *const others[] = {"encoding-type", "multiscales", "ome",
                                         "nwb_version",   ".specloc",    "neurodata_type"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (vz_json_get(attributes, others[i]))
            return true;
    return false;
}

static void free_group(vz_check_dimensions *group)
{
    if (group->names)
        vz_strmap_free(group->names, free_dimension);
    if (group->below)
        vz_strmap_free(group->below, free_dimension);
    vz_json_free(group->note);
    free(group->nameless);
    free(group);
}

bool vz_check_dimensions_begin(vz_check *check, const vz_json *attributes, vz_error *err)
{
    vz_check_dimensions *group = calloc(1, sizeof *group);
    if (!group)
        return vz_fail_memory(err);
    *group = (vz_check_dimensions){
        .names = vz_strmap_new(), .below = vz_strmap_new(), .note = note_of(attributes), .above = check->dimensions};
    if (!group->names || !group->below) {
        free_group(group);
        return vz_fail_memory(err);
    }
    group->is_others = is_others(attributes) || (group->above && group->above->is_others);
    check->dimensions = group;
    return true;
}

static bool add(vz_strmap *names, const char *name, uint64_t length, const char *array, vz_error *err)
{
    struct dimension *dimension = malloc(sizeof *dimension);
    char *copy = dimension ? strdup(array) : NULL;
    if (!copy) {
        free(dimension);
        return vz_fail_memory(err);
    }
    *dimension = (struct dimension){.length = length, .array = copy};
    if (vz_strmap_put(names, name, dimension, err))
        return true;
    free_dimension(dimension);
    return false;
}

/* ---- groups above ---- */

/* To be compared when the group above is known; the first array of each length. */
static bool hand_up(vz_check_dimensions *above, const char *name, const struct dimension *dimension, vz_error *err)
{
    char *key = NULL;
    if (!above || vz_strmap_count(above->below) >= BELOW_MAX)
        return true;
    if (asprintf(&key, "%" PRIu64 " %s", dimension->length, name) < 0)
        return vz_fail_memory(err);
    const bool ok =
        vz_strmap_get(above->below, key) || add(above->below, key, dimension->length, dimension->array, err);
    free(key);
    return ok;
}

/* Does the group's annotation have a dimension of that name that is no array? */
static bool is_noted(const vz_check_dimensions *group, const char *name)
{
    return vz_json_get(vz_json_get(group->note, VZ_ANNOTATION_DIMENSIONS), name) != NULL;
}

static bool compare_below(vz_check *check, const vz_check_dimensions *group, vz_error *err)
{
    size_t cursor = 0;
    const char *key;
    void *value;
    while (vz_strmap_next(group->below, &cursor, &key, &value)) {
        const struct dimension *below = value;
        const char *name = strchr(key, ' ') + 1;
        const struct dimension *here = vz_strmap_get(group->names, name);
        if (!here && !hand_up(group->above, name, below, err))
            return false;
        if (here && here->length != below->length)
            vz_report_find(&check->report, VZ_FINDING_DIMENSION, below->array,
                           "dimension \"%.200s\" has length %" PRIu64 " here, and %" PRIu64
                           " in \"%.200s\" of a group above: xr.open_datatree opens neither",
                           name, below->length, here->length, here->array);
    }
    return true;
}

static bool hand_names_up(vz_check_dimensions *group, vz_error *err)
{
    size_t cursor = 0;
    const char *name;
    void *value;
    while (vz_strmap_next(group->names, &cursor, &name, &value)) {
        const struct dimension *dimension = value;
        if (!dimension->is_declared && !is_noted(group, name) && !hand_up(group->above, name, dimension, err))
            return false;
    }
    return true;
}

bool vz_check_dimensions_end(vz_check *check, vz_error *err)
{
    vz_check_dimensions *group = check->dimensions;
    check->dimensions = group->above;
    if (group->nameless && !group->is_others && vz_strmap_count(group->names) > 0)
        vz_report_find(&check->report, VZ_FINDING_DIMENSION, group->nameless,
                       "it names no dimensions, and other arrays of its group do: xr.open_zarr does not open the "
                       "group, which has %" PRIu64 " such arrays",
                       group->nameless_count);
    const bool ok = group->is_others || (compare_below(check, group, err) && hand_names_up(group, err));
    free_group(group);
    return ok;
}

/* ---- within a group ---- */

static bool meet(vz_check *check, const char *prefix, const char *name, uint64_t length, vz_error *err)
{
    const struct dimension *known = vz_strmap_get(check->dimensions->names, name);
    if (!known)
        return add(check->dimensions->names, name, length, prefix, err);
    if (known->length != length)
        vz_report_find(&check->report, VZ_FINDING_DIMENSION, prefix,
                       "dimension \"%.200s\" has length %" PRIu64 " here, and %" PRIu64 " in \"%.200s\"", name, length,
                       known->length, known->array);
    return true;
}

static const char *last_part(const char *prefix)
{
    const char *slash = strrchr(prefix, '/');
    return slash ? slash + 1 : prefix;
}

/* The names for which the annotation of the array was written, in its group's or its own; NULL: it
 * does not tell. */
static const vz_json *noted_names(const vz_check_dimensions *group, const char *prefix, const vz_json *own)
{
    const vz_json *entry = vz_json_get(vz_json_get(group->note, VZ_ANNOTATION_ARRAYS), last_part(prefix));
    const vz_json *names = vz_json_get(own, VZ_NOTE_DIMENSIONS);
    if (entry)
        return vz_json_get(entry, "d");
    return vz_json_kind_of(names) == VZ_JSON_ARRAY ? names : NULL;
}

static void check_note(vz_check *check, const char *prefix, const vz_json *names, const vz_json *attributes)
{
    vz_json *own = note_of(attributes);
    const vz_json *noted = noted_names(check->dimensions, prefix, own);
    if (noted && !vz_json_equal(noted, names))
        vz_report_find(&check->report, VZ_FINDING_DIMENSION, prefix,
                       "its annotation was written for other names of dimensions: the names count");
    vz_json_free(own);
}

/* Each axis has a name of its own, or none has one. */
static bool are_complete(vz_check *check, const char *prefix, const vz_json *names, unsigned rank)
{
    if (vz_json_length(names) != rank) {
        vz_report_find(&check->report, VZ_FINDING_DIMENSION, prefix, "%zu names for %u dimensions",
                       vz_json_length(names), rank);
        return false;
    }
    for (unsigned axis = 0; axis < rank; axis++) {
        const char *name = vz_json_get_string(vz_json_at(names, axis), NULL);
        if (!name)
            vz_report_find(&check->report, VZ_FINDING_DIMENSION, prefix,
                           "dimension %u has no name, so HDF5 programs see no dimension scales in the group", axis);
        for (unsigned before = 0; name && before < axis; before++)
            if (vz_json_is(vz_json_at(names, before), name))
                vz_report_find(&check->report, VZ_FINDING_DIMENSION, prefix,
                               "dimensions %u and %u are both called \"%.200s\"", before, axis, name);
    }
    return true;
}

static bool count_nameless(vz_check_dimensions *group, const char *prefix, const vz_json *attributes, vz_error *err)
{
    if (vz_json_get(attributes, "_nczarr_array") || vz_json_get(attributes, "_NCZARR_ARRAY"))
        return true;
    group->nameless_count++;
    return group->nameless || (group->nameless = strdup(prefix)) || vz_fail_memory(err);
}

bool vz_check_dimensions_of(vz_check *check, const char *prefix, const vz_meta *meta, const vz_json *names,
                            const vz_json *attributes, vz_error *err)
{
    vz_check_dimensions *group = check->dimensions;
    if (!group || group->is_others)
        return true;
    if (vz_json_kind_of(names) != VZ_JSON_ARRAY)
        return meta->rank == 0 || count_nameless(group, prefix, attributes, err);
    check_note(check, prefix, names, attributes);
    bool ok = true;
    if (!are_complete(check, prefix, names, meta->rank))
        return true;
    for (unsigned axis = 0; ok && axis < meta->rank; axis++) {
        const char *name = vz_json_get_string(vz_json_at(names, axis), NULL);
        ok = !name || meet(check, prefix, name, meta->shape[axis], err);
    }
    struct dimension *own = ok && meta->rank > 0 && vz_json_is(vz_json_at(names, 0), last_part(prefix))
                                ? vz_strmap_get(group->names, last_part(prefix))
                                : NULL;
    if (own)
        own->is_declared = true;
    return ok;
}
