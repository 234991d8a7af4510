/* remote_name_internal.h - the part of remote_name.h that only this module uses. */
#ifndef VZ_PROTOCOL_REMOTE_NAME_INTERNAL_H
#define VZ_PROTOCOL_REMOTE_NAME_INTERNAL_H

#include "remote/protocol/remote_name.h"

/* The bytes that %XX stand for, in place; a "%" without two digits is one. `plus`: "+" is a blank. Returns the length.
 */
size_t vz_url_decode(char *text, bool plus);

#endif
