/* messages.c - texts for people. */
#include "command/command/command.h"
#include "base/os/process.h"
#include "base/os/terminal.h"
#include "base/util/bytes.h"
#include <stdarg.h>
#include <stdlib.h>

#define MESSAGE_SIZE 2048

static bool is_control(const unsigned char *at, size_t length)
{
    const bool is_c1 = length == 2 && at[0] == 0xC2 && at[1] < 0xA0;
    return (length == 1 && (*at < 0x20 || *at == 0x7F)) || is_c1;
}

void vz_say_text(FILE *out, const char *text)
{
    size_t left = strlen(text);
    while (left > 0) {
        const unsigned char *at = (const unsigned char *)text;
        const size_t length = vz_utf8_sequence(text, left, false), step = length ? length : 1;
        if (length && !is_control(at, length))
            fwrite(text, 1, length, out);
        else
            for (size_t i = 0; i < step; i++)
                fprintf(out, "\\x%02x", at[i]);
        text += step;
        left -= step;
    }
}

void vz_say_error(const char *format, ...)
{
    char message[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    fflush(stdout); /* the order of what a terminal shows */
    fputs("h5zarr: ", stderr);
    vz_say_text(stderr, message);
    fputc('\n', stderr);
}

vz_exit vz_say_failure(const vz_error *err, const char *store)
{
    char message[MESSAGE_SIZE];
    vz_error shown = *err;
    if (shown.class == VZ_OK)
        vz_error_set(&shown, VZ_INVALID, "it failed, and nothing tells why");
    if (shown.class == VZ_UNSUPPORTED) /* its text names the feature */
        snprintf(shown.text, sizeof shown.text, "not supported: %.*s", (int)(sizeof shown.text - 20), err->text);
    vz_error_where(&shown, store, NULL);
    vz_say_error("%s", vz_error_message(&shown, message, sizeof message));
    return VZ_EXIT_FAILED;
}

void vz_say_count(const char *before, uint64_t count, const char *what)
{
    printf("%s%llu %s%s", before, (unsigned long long)count, what, count == 1 ? "" : "s");
}

const char *vz_say_size(uint64_t bytes, char text[VZ_SAY_SIZE])
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes < 1024) {
        snprintf(text, VZ_SAY_SIZE, "%u B", (unsigned)bytes);
        return text;
    }
    size_t unit = 0;
    double size = (double)bytes / 1024;
    for (; size >= 1023.95 && unit < 5; unit++)
        size /= 1024;
    snprintf(text, VZ_SAY_SIZE, "%.1f %s", size, units[unit]);
    return text;
}

const char *vz_say_colour(vz_colour colour)
{
    static const char *const escapes[] = {
        [VZ_COLOUR_PLAIN] = "\033[0m", [VZ_COLOUR_GROUP] = "\033[1;34m", [VZ_COLOUR_ARRAY] = "\033[32m",
        [VZ_COLOUR_LINK] = "\033[36m", [VZ_COLOUR_FAINT] = "\033[2m",    [VZ_COLOUR_BAD] = "\033[1;31m",
        [VZ_COLOUR_GOOD] = "\033[32m",
    };
    const char *no_colour = vz_os_environment("NO_COLOR"), *terminal = vz_os_environment("TERM");
    const bool wanted = (!no_colour || !*no_colour) && (!terminal || strcmp(terminal, "dumb") != 0);
    return wanted && vz_terminal_is(stdout) ? escapes[colour] : "";
}
