/* location_within.c - the store or object within the store at a location. A name of ZEP 8 may go on
 * with a path, or with a store, as a repository in a directory or in a bucket. */
#include "store/store/kind_internal.h"
#include <stdio.h>
#include <stdlib.h>

/* The store that was opened for looking is opened in earnest. */
static vz_store *open_below(vz_location *location, vz_error *err)
{
    vz_store *looked = location->store;
    const char *root = vz_location_root(location, err);
    if (!root)
        return NULL;
    location->store = NULL;
    return location->over_byte_source ? looked : location->kind->open(looked, root, false, err);
}

static bool take_within(vz_location *location, const vz_store_kind *kind, const char *word, vz_error *err)
{
    char *inside = NULL;
    vz_store *below = open_below(location, &location->why);
    location->within = kind;
    location->is_sure = true;
    if (below) {
        location->store = kind->look_within(
            below, word, vz_location_is_elsewhere(location) ? &location->asked_as : NULL, &inside, &location->why);
    } else {
        vz_store_close(location->store);
        location->store = NULL;
    }
    if (inside) {
        free(location->inside);
        location->inside = inside;
    }
    if (location->store)
        location->identity = location->store->identity;
    return location->store || location->why.class != VZ_NO_MEMORY || vz_fail_memory(err);
}

bool vz_location_look_within(vz_location *location, vz_error *err)
{
    const vz_store_kind *const *kinds = vz_store_get_kinds();
    if (location->within || !location->store || *location->inside || location->over_byte_source)
        return true;
    for (size_t i = 0; kinds[i]; i++) {
        bool is_it = false;
        if (kinds[i]->is_within && !kinds[i]->is_within(location->store, &is_it, err))
            return false;
        if (is_it)
            return take_within(location, kinds[i], "", err);
    }
    return true;
}

/* ---- names of ZEP 8 ---- */

/* The location goes on inside of the store. */
static bool go_inside(vz_location *location, const char *inside, vz_error *err)
{
    char *all = NULL;
    if (!*inside || location->type != VZ_PATH_TYPE_STORE)
        return true;
    if (asprintf(&all, "%s%s%s", location->inside, *location->inside ? "/" : "", inside) < 0)
        return vz_fail_memory(err);
    free(location->inside);
    location->inside = all;
    return true;
}

/* The store that is meant lies in what was found. */
static bool go_within(vz_location *location, const vz_location_pipeline *pipeline, vz_error *err)
{
    if (pipeline->kind && location->within)
        return vz_fail(err, VZ_UNSUPPORTED, "\"%s\" behind another one", pipeline->kind->adapter);
    if (pipeline->kind)
        location->within = pipeline->kind;
    if (!pipeline->kind || location->type != VZ_PATH_TYPE_STORE || !location->store)
        return true;
    if (!*location->inside)
        return take_within(location, pipeline->kind, pipeline->word, err);
    return vz_fail(err, VZ_UNSUPPORTED, "\"%s\" behind a path inside of a store", pipeline->kind->adapter);
}

/* A redirect file names what lies in a store. */
static bool go_behind(vz_location *location, vz_error *err)
{
    vz_location_pipeline pipeline = {0};
    if (!location->behind)
        return true;
    const bool ok = vz_location_pipeline_parse(location->behind, &pipeline, err) &&
                    go_within(location, &pipeline, err) && go_inside(location, pipeline.inside, err);
    vz_location_pipeline_clear(&pipeline);
    return ok;
}

bool vz_location_find_named(const char *path, const vz_named *named, vz_location *location, vz_error *err)
{
    vz_location_pipeline pipeline;
    *location = (vz_location){0};
    bool ok = vz_location_pipeline_split(path, &pipeline, err) &&
              vz_location_find_plain(pipeline.base ? pipeline.base : path, named, location, err);
    ok = ok && go_behind(location, err) && go_within(location, &pipeline, err);
    ok = ok && (!pipeline.inside || go_inside(location, pipeline.inside, err));
    vz_location_pipeline_clear(&pipeline);
    return ok;
}

bool vz_location_find(const char *path, vz_location *location, vz_error *err)
{
    return vz_location_find_named(path, NULL, location, err);
}
