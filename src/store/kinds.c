/* kinds.c - the table of kinds of stores, and nothing else: a program that brings a table of its own links that. */
#include "store/kind.h"

const vz_store_kind *const vz_store_kinds[] = {&vz_kind_file, &vz_kind_zip, &vz_kind_directory, NULL};
