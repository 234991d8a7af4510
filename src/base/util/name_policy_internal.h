/* name_policy_internal.h - do two texts name one endpoint? */
#ifndef VZ_UTIL_NAME_POLICY_INTERNAL_H
#define VZ_UTIL_NAME_POLICY_INTERNAL_H

#include "base/util/name_policy.h"

/* Do two valid endpoints mean the same server, asked in the same way? Case of scheme and host, a
 * port that is the scheme's own and slashes at the end do not count. http is never https. */
bool vz_endpoint_same(const char *a, const char *b);

#endif
