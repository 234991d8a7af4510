/* logging_directory.h - a kind of store for tests: a directory, called something.logged, whose log tells each
 * operation. This file and its row in a table of kinds is all that it takes. */
#ifndef LOGGING_DIRECTORY_H
#define LOGGING_DIRECTORY_H

#include "store/store/kind.h"
#include "store/layers/layer.h"
#include "store/layers/layer_internal.h"
#include <stdio.h>

#define LOGGED ".logged"

static char logging_log[1 << 16];
static void (*logging_hook)(const char *key); /* called before each operation, where it is set */

static void logging_note(const char *what, const char *about)
{
    const size_t length = strlen(logging_log);
    snprintf(logging_log + length, sizeof logging_log - length, "%s %s\n", what, about);
}

static bool logging_before(vz_layer *layer, const char *key, vz_error *err)
{
    (void)layer, (void)err;
    logging_note("key", key);
    if (logging_hook)
        logging_hook(key);
    return true;
}

static int logging_open_lock(const vz_store *store, const char *key)
{
    const vz_store *below = ((const vz_layer *)store)->below;
    logging_note("lock", key);
    return below->class->open_lock(below, key);
}

/* Takes `below` over; NULL stays NULL. */
static vz_store *logging_over(vz_store *below, vz_error *err)
{
    vz_layer *logging = below ? vz_layer_new(below, sizeof *logging, "logged", err) : NULL;
    if (!logging)
        return NULL;
    logging->before = logging_before;
    logging->class.open_lock = logging_open_lock;
    return &logging->base;
}

static bool logging_is_named(const char *path)
{
    size_t length = strlen(path);
    while (length > 0 && path[length - 1] == '/')
        length--;
    return length > strlen(LOGGED) && strncmp(path + length - strlen(LOGGED), LOGGED, strlen(LOGGED)) == 0;
}

static bool logging_recognise(vz_location_probe *probe, vz_location *location, bool *is_it, vz_error *err)
{
    *is_it = false;
    if (!logging_is_named(probe->path))
        return true;
    if (!vz_kind_directory.recognise(probe, location, is_it, err))
        return false;
    location->store = logging_over(location->store, &location->why);
    return location->why.class != VZ_NO_MEMORY || vz_fail_memory(err);
}

static vz_store *logging_open(vz_store *looked, const char *root, bool writable, vz_error *err)
{
    vz_store_close(looked);
    logging_note(writable ? "write" : "read", root);
    return logging_over(vz_store_open_directory(root, writable, err), err);
}

static vz_store *logging_create(const char *path, vz_store_make how, uint64_t user_block, vz_error *err)
{
    logging_note("create", path);
    return logging_over(vz_kind_directory.create(path, how, user_block, err), err);
}

static bool logging_remove(const char *root, vz_error *err)
{
    logging_note("remove", root);
    return vz_kind_directory.remove(root, err);
}

static const vz_store_kind kind_logging = {
    .name = "logged",
    .title = "logged directory",
    .suffix = LOGGED,
    .recognise = logging_recognise,
    .open = logging_open,
    .create = logging_create,
    .remove = logging_remove,
};

#endif
