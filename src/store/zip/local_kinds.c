/* local_kinds.c - the table of the kinds of stores in the file system. */
#include "store/icechunk/icechunk.h"
#include "store/kerchunk/kerchunk.h"
#include "store/zip/zip_internal.h"

const vz_store_kind *const vz_zip_local_kinds[] = {&vz_zip_kind_file,         &vz_zip_kind,
                                                   &vz_kerchunk_kind,         &vz_icechunk_kind,
                                                   &vz_kerchunk_parquet_kind, &vz_kerchunk_lindi_kind,
                                                   &vz_kind_directory,        NULL};
