/* msgpack.h - MessagePack and JSON values. Byte strings that are UTF-8 are text; others, in both directions, the object
 * {"__bytes__": base64}. */
#ifndef VZ_OBJECTCODEC_MSGPACK_H
#define VZ_OBJECTCODEC_MSGPACK_H

#include "base/util/bytes.h"
#include "base/util/json_parse.h"

/* The one value of `in`; NULL for anything else. Extension types and keys that are no text are VZ_UNSUPPORTED. */
vz_json *vz_msgpack_read(vz_bytes in, vz_error *err);
/* As msgpack-python packs; single: reals in single precision. */
bool vz_msgpack_write(const vz_json *value, bool single, vz_buffer *out, vz_error *err);

#endif
