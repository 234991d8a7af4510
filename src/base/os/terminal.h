/* terminal.h - what the system tells of a terminal. The streams stay the caller's; nothing here
 * fails. */
#ifndef VZ_OS_TERMINAL_H
#define VZ_OS_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

bool vz_terminal_is(FILE *stream);        /* is there somebody who reads it now? */
unsigned vz_terminal_width(FILE *stream); /* in columns: COLUMNS, the terminal's, else 80 */
bool vz_terminal_shows_utf8(void);        /* as the locale says; once the program has set one
                                           * (setlocale) */

#endif
