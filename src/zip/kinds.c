/* kinds.c - the table of kinds of stores in the file system, and nothing else: a program that brings a table of its own
 * links that, as does one with src/remote. */
#include "zip/zip.h"

const vz_store_kind *const vz_store_kinds[] = {&vz_kind_file, &vz_kind_zip, &vz_kind_directory, NULL};
