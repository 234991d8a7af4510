/* glob_patterns.h - the option `create`: which names become stores, and of which kind.
 *
 * A list of shell patterns (fnmatch), separated by commas that are not in brackets; blanks around them do not count. A
 * pattern may go on with a colon and a kind, one of the words of the option `container`; any other colon is the
 * pattern's own. A kind alone stands for all names. */
#ifndef VZ_UTIL_GLOB_PATTERNS_H
#define VZ_UTIL_GLOB_PATTERNS_H

#include "base/util/options.h"

/* No blank, '=' or ';' within a pattern: such a list is several options, or lacks a comma. `?` stands for any of them.
 */
bool vz_patterns_valid(const char *patterns);
/* Is `name`, the last part of a path, taken by a pattern? Then *container is that pattern's kind, if it has one. The
 * first pattern counts; a list without any takes all names. */
bool vz_patterns_take(const char *patterns, const char *name, vz_container *container);

#endif
