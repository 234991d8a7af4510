/* seen_objects.c - which objects of the source were met, by token: an object with several names is
 * copied once. */
#include "command/convert/convert_internal.h"
#include <stdlib.h>
#include <string.h>

vz_seen *vz_seen_find(const vz_convert_job *c, const char *token)
{
    return vz_strmap_get(c->met, token);
}

vz_seen *vz_seen_add(vz_convert_job *c, const char *token, const char *path, vz_error *err)
{
    vz_seen *met = calloc(1, sizeof *met);
    char *copy = path ? strdup(path) : NULL;
    if (!met || (path && !copy)) {
        free(met);
        free(copy);
        vz_fail_memory(err);
        return NULL;
    }
    *met = (vz_seen){.path = copy, .type = H5I_INVALID_HID};
    if (vz_strmap_put(c->met, token, met, err))
        return met;
    free(copy);
    free(met);
    return NULL;
}
