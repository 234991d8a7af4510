/* all_kinds.c - the table of all kinds of stores. Kinds selected by the name come first. */
#include "remote/bucket/bucket_internal.h"
#include "store/icechunk/icechunk.h"
#include "store/kerchunk/kerchunk.h"
#include "store/zip/zip.h"

const vz_store_kind *const vz_bucket_all_kinds[] = {&vz_bucket_kind_s3,
                                                    &vz_bucket_kind_az,
                                                    &vz_bucket_kind_http,
                                                    &vz_zip_kind_file,
                                                    &vz_zip_kind,
                                                    &vz_kerchunk_kind,
                                                    &vz_icechunk_kind,
                                                    &vz_kerchunk_parquet_kind,
                                                    &vz_kerchunk_lindi_kind,
                                                    &vz_kind_directory,
                                                    NULL};
