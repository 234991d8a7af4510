/* kinds.c - the table of kinds of stores, with what is far away: whoever links this room has it in place of the one in
 * src/zip. What is told by its name comes first. */
#include "remote/remote_kind.h"
#include "zip/zip.h"

const vz_store_kind *const vz_store_kinds[] = {&vz_kind_s3,  &vz_kind_az,        &vz_kind_http, &vz_kind_file,
                                               &vz_kind_zip, &vz_kind_directory, NULL};
