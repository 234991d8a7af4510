/* user_block.h - the bytes before an HDF5 file that are its user's. */
#ifndef VZ_CONVERT_USER_BLOCK_H
#define VZ_CONVERT_USER_BLOCK_H

#include "base/util/error.h"
#include <stdint.h>

/* Copies the first `size` bytes of a file into another one that has room for them. */
bool vz_user_block_copy(const char *from, const char *to, uint64_t size, vz_error *err);

#endif
