/* terminal.c - what the system tells of a terminal. */
#include "base/os/terminal.h"
#include <langinfo.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define DEFAULT_WIDTH 80

bool vz_terminal_is(FILE *stream)
{
    return isatty(fileno(stream)) == 1;
}

unsigned vz_terminal_width(FILE *stream)
{
    struct winsize size;
    return ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : DEFAULT_WIDTH;
}

bool vz_terminal_shows_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}
