/* terminal.c - what the system tells of a terminal. */
#include "base/os/process.h"
#include "base/os/terminal.h"
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define DEFAULT_WIDTH 80
#define MOST_WIDTH    10000

bool vz_terminal_is(FILE *stream)
{
    return isatty(fileno(stream)) == 1;
}

/* As the user said (POSIX); 0: nothing. */
static unsigned said_width(void)
{
    const char *text = vz_os_environment("COLUMNS");
    char *end;
    const unsigned long columns = text && *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
    return columns > 0 && columns <= MOST_WIDTH && !*end ? (unsigned)columns : 0;
}

unsigned vz_terminal_width(FILE *stream)
{
    struct winsize size;
    const unsigned said = said_width();
    if (said)
        return said;
    return ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : DEFAULT_WIDTH;
}

bool vz_terminal_shows_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}
