/* cut_line.c - lines as long as the terminal is wide. */
#define _XOPEN_SOURCE 700 /* wcwidth */
#include "base/os/terminal.h"
#include "base/util/bytes.h"
#include "command/command/command.h"
#include <stdlib.h>
#include <wchar.h>

FILE *vz_line_stream(vz_line *line)
{
    if (!line->stream)
        line->stream = vz_terminal_is(stdout) ? open_memstream(&line->text, &line->size) : NULL;
    if (!line->stream)
        line->stream = stdout;
    return line->stream;
}

/* Bytes of a colour, which take no place: from ESC to a letter. */
static size_t escape_length(const char *at, size_t size)
{
    size_t length = 0;
    if (*at == '\033')
        for (length = 1; length < size && at[length - 1] != 'm'; length++)
            continue;
    return length;
}

/* Of a character, which other terminals than those of UTF-8 show byte by byte. */
static unsigned columns_of(const char *at, size_t length, bool is_utf8)
{
    mbstate_t state = {0};
    wchar_t character;
    if (!is_utf8 || mbrtowc(&character, at, length, &state) != length)
        return (unsigned)length;
    const int wide = wcwidth(character);
    return wide < 0 ? 1 : (unsigned)wide; /* an unknown one is shown somehow */
}

size_t vz_line_fits(const char *text, size_t size, size_t width, size_t *columns)
{
    const bool is_utf8 = vz_terminal_shows_utf8();
    size_t at = 0, taken = 0;
    while (at < size) {
        size_t length = escape_length(text + at, size - at);
        if (length == 0) {
            const size_t character = vz_utf8_sequence(text + at, size - at, false);
            length = character ? character : 1;
            const unsigned own = columns_of(text + at, length, is_utf8);
            if (own > width - taken)
                break;
            taken += own;
        }
        at += length;
    }
    *columns = taken;
    return at;
}

void vz_line_end(vz_line *line)
{
    if (!line->stream)
        return;
    if (line->stream == stdout) {
        putchar('\n');
    } else if (fclose(line->stream) == 0 && line->text) {
        size_t columns;
        const size_t size = vz_line_fits(line->text, line->size, vz_terminal_width(stdout), &columns);
        printf("%.*s%s\n", (int)size, line->text, size < line->size ? vz_say_colour(VZ_COLOUR_PLAIN) : "");
    }
    free(line->text);
    *line = (vz_line){0};
}
