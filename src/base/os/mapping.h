/* mapping.h - a file of our own as memory that the system fills and drops as it likes; how large
 * the pages of other memory are. */
#ifndef VZ_OS_MAPPING_H
#define VZ_OS_MAPPING_H

#include <stddef.h>

/* For reading; vz_os_unmap ends it. Only of a file that nobody else can shorten. NULL and errno on
 * failure. */
const void *vz_os_map_file(int file, size_t size);

/* Asks for large pages in memory of the caller's that will be filled from end to end. Pages that
 * are there stay as they are. A system that has no large pages does nothing. */
void vz_os_ask_large_pages(void *memory, size_t size);

#endif
