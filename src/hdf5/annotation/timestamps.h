/* timestamps.h - the time of the last change of a dataset, where its creation property list asked for it.
 *
 * HDF5 keeps it in its default file format for datasets only: the time of creation, moved on by a change of the
 * dataset's attributes or extent, not of its elements. */
#ifndef VZ_ANNOTATION_TIMESTAMPS_H
#define VZ_ANNOTATION_TIMESTAMPS_H

#include "hdf5/h5/h5.h"
#include "hdf5/annotation/annotation.h"
#include <time.h>

/* Does a list ask for times? HDF5's default list says yes for everybody who says nothing; so only a list of the
 * program's own counts. */
bool vz_times_wanted(hid_t dcpl, bool *wanted, vz_error *err);
/* What stands in the annotation from the beginning: "tm", seconds. */
vz_json *vz_times_now(vz_error *err);
/* Does the node keep times? *changed: the last one (0: none). */
bool vz_times_kept(const vz_node *node, time_t *changed);
/* The node was changed, as far as HDF5 counts it. */
bool vz_times_touch(vz_node *node, vz_error *err);

#endif
