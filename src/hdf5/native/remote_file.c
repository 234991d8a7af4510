/* remote_file.c - HDF5 files on servers as they were met. Open files and access lists share
 * them. */
#include "hdf5/native/remote_internal.h"
#include <stdlib.h>

/* HDF5 makes one call at a time. */
static vz_native_remote *all;
static uint64_t last_number;

vz_native_remote *vz_native_remote_hold(vz_native_remote *remote)
{
    remote->users++;
    return remote;
}

void vz_native_remote_release(vz_native_remote *remote)
{
    if (!remote || --remote->users > 0)
        return;
    for (vz_native_remote **at = &all; *at; at = &(*at)->next)
        if (*at == remote) {
            *at = remote->next;
            break;
        }
    vz_byte_source_close(remote->source, NULL);
    free(remote->name);
    free(remote->missing);
    free(remote);
}

vz_native_remote *vz_native_remote_new(vz_path_result *found, const vz_options *options, const vz_native_remote *by,
                                       vz_error *err)
{
    vz_native_remote *remote = calloc(1, sizeof *remote);
    if (!remote || !(remote->name = strdup(vz_path_result_whole_name(found)))) {
        free(remote);
        vz_fail_memory(err);
        return NULL;
    }
    remote->source = vz_path_result_take_hdf5(found, &remote->asked_as);
    remote->options = *options;
    remote->number = ++last_number;
    remote->by = by ? by->number : 0;
    remote->users = 1;
    remote->next = all;
    all = remote;
    if (remote->source && vz_byte_source_size(remote->source, &remote->size, err))
        return remote;
    vz_fail(err, VZ_IO, "the file is not open any more");
    vz_native_remote_release(remote);
    return NULL;
}

/* A file that the same one named before stays as it was met: HDF5 then reads what was checked. */
vz_native_remote *vz_native_remote_known(const vz_native_remote *from, const char *whole)
{
    for (vz_native_remote *each = all; each; each = each->next)
        if (each->by == from->number && strcmp(each->name, whole) == 0)
            return vz_native_remote_hold(each);
    return NULL;
}
