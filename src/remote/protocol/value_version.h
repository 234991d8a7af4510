/* value_version.h - which version of a value an answer has: its ETag, or where a server sends none, when it was changed. */
#ifndef VZ_PROTOCOL_VALUE_VERSION_H
#define VZ_PROTOCOL_VALUE_VERSION_H

#include "net/http/http.h"
#include "store/store/store_read.h"

/* Of an answer with status 2xx; of size 0 where the server tells none. */
vz_version vz_version_of_answer(const vz_net_functions *net, const vz_net_request *answer);
vz_version vz_version_of_etag(const char *etag);
/* The ETag by which the server can be asked for that version, and no other; NULL: it cannot be asked so, and what
 * it answers is compared. Borrowed from `etag`. */
#define VZ_ETAG_SIZE (VZ_VERSION_SIZE + 1)
const char *vz_version_etag(const vz_version *version, char etag[VZ_ETAG_SIZE]);
/* The same as a stamp of a store whose versions these are. */
vz_stamp vz_version_stamp(const vz_version *version, uint64_t size);

#endif
