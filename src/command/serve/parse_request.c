/* parse_request.c - the head of a request. Some of HTTP that nobody needs is refused: folded
 * lines, bodies, lines that end without a carriage return. */
#include "command/serve/serve_internal.h"
#include <strings.h>

/* ---- where it ends ---- */

size_t vz_serve_head_size(const char *data, size_t size, int *status)
{
    *status = 0;
    for (size_t i = 0; i < size; i++) {
        if (data[i] == '\0' || (data[i] == '\n' && (i == 0 || data[i - 1] != '\r'))) {
            *status = 400;
            return 0;
        }
        if (i >= 3 && memcmp(data + i - 3, "\r\n\r\n", 4) == 0)
            return i + 1;
    }
    if (size >= VZ_SERVE_HEAD_MAX)
        *status = memchr(data, '\n', size) ? 431 : 414;
    return 0;
}

/* ---- characters ---- */

static bool is_token_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("!#$%&'*+-.^_`|~", c));
}

static bool is_value_character(char c)
{
    return c == '\t' || ((unsigned char)c >= ' ' && c != 0x7F);
}

static bool is_target_character(char c)
{
    return (unsigned char)c > ' ' && (unsigned char)c < 0x7F && !strchr("\\\"<>^`{|}", c);
}

static size_t span(const char *text, bool (*is)(char c))
{
    size_t length = 0;
    while (text[length] && is(text[length]))
        length++;
    return length;
}

/* ---- the first line ---- */

static vz_serve_method method_of(const char *word)
{
    return strcmp(word, "GET") == 0       ? VZ_SERVE_GET
           : strcmp(word, "HEAD") == 0    ? VZ_SERVE_HEAD
           : strcmp(word, "OPTIONS") == 0 ? VZ_SERVE_OPTIONS
                                          : VZ_SERVE_OTHER;
}

static int parse_line(char *line, vz_serve_request *request)
{
    const size_t method = span(line, is_token_character);
    if (method == 0 || line[method] != ' ')
        return 400;
    line[method] = '\0';
    request->method = method_of(line);
    request->target = line + method + 1;
    const size_t target = span(request->target, is_target_character);
    char *version = request->target + target;
    if (target == 0 || *version != ' ')
        return 400;
    *version++ = '\0';
    if (target > VZ_SERVE_TARGET_MAX)
        return 414;
    if (strncmp(version, "HTTP/", 5) != 0 || strlen(version) != 8)
        return 400;
    if (strcmp(version, "HTTP/1.1") != 0 && strcmp(version, "HTTP/1.0") != 0)
        return 505;
    request->closes = version[7] == '0';
    return 0;
}

/* ---- headers ---- */

static char **place_of(const char *name, vz_serve_request *request)
{
    const struct {
        const char *name;
        char **place;
    } known[] = {
        {"host", &request->host},
        {"range", &request->range},
        {"if-range", &request->if_range},
        {"if-match", &request->if_match},
        {"if-none-match", &request->if_none_match},
        {"if-modified-since", &request->if_modified_since},
        {"if-unmodified-since", &request->if_unmodified_since},
        {"connection", &request->connection},
        {"content-length", &request->content_length},
        {"transfer-encoding", &request->transfer_encoding},
        {"access-control-request-private-network", &request->private_network},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcasecmp(name, known[i].name) == 0)
            return known[i].place;
    return NULL;
}

static int parse_header(char *line, vz_serve_request *request)
{
    const size_t name = span(line, is_token_character);
    if (name == 0 || line[name] != ':')
        return 400;
    line[name] = '\0';
    char *value = line + name + 1;
    value += strspn(value, " \t");
    size_t length = strlen(value);
    if (span(value, is_value_character) != length)
        return 400;
    while (length > 0 && (value[length - 1] == ' ' || value[length - 1] == '\t'))
        value[--length] = '\0';
    char **place = place_of(line, request);
    if (place && *place)
        return 400; /* two of them: which one counts? */
    if (place)
        *place = value;
    return 0;
}

/* "keep-alive, close" */
static bool has_word(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; at && *at; at += strcspn(at, ",")) {
        at += strspn(at, ", \t");
        const size_t size = strcspn(at, ", \t");
        if (size == length && strncasecmp(at, word, length) == 0)
            return true;
    }
    return false;
}

/* No request that is answered has a body; one with a body could hide a second request in it. */
static int check_headers(vz_serve_request *request)
{
    request->closes = request->closes || has_word(request->connection, "close");
    if (!request->host)
        return 400;
    if (request->method == VZ_SERVE_OTHER) {
        request->closes = true; /* its body is not looked at */
        return 0;
    }
    if (request->transfer_encoding)
        return 501;
    if (request->content_length && strspn(request->content_length, "0") != strlen(request->content_length))
        return 400;
    return 0;
}

int vz_serve_parse_request(char *head, size_t size, vz_serve_request *request)
{
    int status = 0;
    unsigned lines = 0;
    *request = (vz_serve_request){.closes = true};
    head[size - 4] = '\0'; /* the last line's end, and the empty line */
    for (char *line = head, *next; line && status == 0; line = next) {
        next = strstr(line, "\r\n");
        if (next) {
            *next = '\0';
            next += 2;
        }
        if (++lines > VZ_SERVE_HEADERS_MAX + 1)
            return 431;
        status = lines == 1 ? parse_line(line, request) : parse_header(line, request);
    }
    return status ? status : check_headers(request);
}

bool vz_serve_host_is_here(const char *host)
{
    static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t length = strlen(names[i]);
        const char *rest = host + length;
        if (strncasecmp(host, names[i], length) != 0)
            continue;
        const size_t digits = *rest == ':' ? strspn(rest + 1, "0123456789") : 0;
        if (*rest == '\0' || (digits > 0 && digits <= 5 && rest[1 + digits] == '\0'))
            return true;
    }
    return false;
}
