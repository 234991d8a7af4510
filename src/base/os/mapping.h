/* mapping.h - a file of our own as memory that the system fills and drops as it likes. */
#ifndef VZ_OS_MAPPING_H
#define VZ_OS_MAPPING_H

#include <stddef.h>

/* For reading; vz_os_unmap ends it. Only of a file that nobody else can shorten. NULL and errno on
 * failure. */
const void *vz_os_map_file(int file, size_t size);

#endif
