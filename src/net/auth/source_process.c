/* source_process.c - credential_process: a program that prints credentials. Its command line is
 * split into words as a shell does, and no shell sees it. The user reads its error output, which
 * goes into no message. */
#include "net/auth/auth_internal.h"
#include "base/os/process.h"
#include "base/util/json.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define TIME_MAX_MS 60000
#define LOOK_MS     2
#define LAST_MS     2000 /* that it may live when it has closed its output */
#define WORDS_MAX   256
#define WHO         "credential_process"

/* ---- the command line ---- */

/* Copies one word without its quotes; *at is behind it then. False: a quote is not closed. */
static bool take_word(const char **at, char **out)
{
    char quote = 0;
    for (; **at && (quote || !strchr(" \t\n", **at)); (*at)++) {
        const char c = **at;
        if (c == quote) {
            quote = 0;
        } else if (!quote && (c == '"' || c == '\'')) {
            quote = c;
        } else if (c == '\\' && quote != '\'' && (*at)[1] && (!quote || strchr("\"\\", (*at)[1]))) {
            *(*out)++ = *++(*at);
        } else {
            *(*out)++ = c;
        }
    }
    *(*out)++ = '\0';
    return !quote;
}

char **vz_auth_process_words(const char *command, vz_error *err)
{
    char **words = malloc((WORDS_MAX + 1) * sizeof *words + strlen(command) + WORDS_MAX + 1);
    char *room = (char *)(words + WORDS_MAX + 1);
    size_t count = 0;
    bool ok = words || vz_fail_memory(err);
    for (const char *at = command; ok && *(at += strspn(at, " \t\n"));) {
        if (count == WORDS_MAX) {
            ok = vz_fail(err, VZ_LIMIT, WHO ": more than %d words", WORDS_MAX);
            break;
        }
        words[count++] = room;
        ok = take_word(&at, &room) || vz_fail(err, VZ_INVALID, WHO ": a quote is not closed");
    }
    ok = ok && (count > 0 || vz_fail(err, VZ_INVALID, WHO " is empty"));
    if (!ok) {
        free(words);
        return NULL;
    }
    words[count] = NULL;
    return words;
}

/* ---- the program ---- */

static int64_t now_ms(void)
{
    return vz_os_now_ns() / 1000000;
}

/* Reads its output until it closes it, the time is over or the buffer is full. */
static bool read_output(int output, int64_t until, vz_buffer *out, vz_error *err)
{
    for (;;) {
        const ptrdiff_t size =
            vz_os_output_read(output, out->data + out->size, VZ_ANSWER_MAX + 1 - out->size, until - now_ms());
        if (size < 0 && errno == ETIMEDOUT)
            return vz_fail(err, VZ_IO, WHO ": it did not end within %d s", TIME_MAX_MS / 1000);
        if (size < 0)
            return vz_fail_errno(err, errno, WHO ": cannot read what it prints");
        out->size += (size_t)size;
        if (size == 0)
            return true;
        if (out->size > VZ_ANSWER_MAX)
            return vz_fail(err, VZ_LIMIT, WHO ": it printed more than %d bytes", VZ_ANSWER_MAX);
    }
}

static bool judge(const vz_os_ended *ended, vz_error *err)
{
    if (ended->signal)
        return vz_fail(err, VZ_IO, WHO ": it was ended by signal %d", ended->signal);
    return ended->status == 0 || vz_fail(err, VZ_PERMISSION, WHO ": it ended with status %d", ended->status);
}

static bool collect(char **words, vz_buffer *out, vz_error *err)
{
    int output;
    long child;
    vz_os_ended ended;
    const int failed = vz_os_run(words, &child, &output);
    if (failed && child == 0)
        return vz_fail_errno(err, failed, WHO ": no pipe");
    if (failed)
        return vz_fail_errno(err, failed, WHO ": cannot run %.100s", words[0]);
    const bool ok = read_output(output, now_ms() + TIME_MAX_MS, out, err);
    vz_os_output_close(output);
    if (!vz_os_wait(child, ok ? LAST_MS : 0, LOOK_MS, &ended))
        vz_os_kill(child, &ended);
    return ok && judge(&ended, err);
}

/* The member Version tells that it is that kind of document. */
static bool is_version_1(const vz_buffer *text, vz_error *err)
{
    int64_t version = 0;
    vz_json *document = vz_json_parse((const char *)text->data, text->size, NULL);
    const bool read = document && vz_json_get_int64(vz_json_get(document, "Version"), &version);
    vz_json_free_secret(document);
    if (!read)
        return vz_fail(err, VZ_CORRUPT, WHO ": what it printed is no JSON with \"Version\"");
    return version == 1 || vz_fail(err, VZ_UNSUPPORTED, WHO ": Version %lld, only 1 is known", (long long)version);
}

bool vz_auth_process_run(const char *command, vz_auth_keys *keys, vz_error *err)
{
    static const vz_auth_keys_names names = {NULL,           "AccessKeyId", "SecretAccessKey",
                                             "SessionToken", "Expiration",  false};
    vz_buffer text = {0};
    char **words = vz_auth_process_words(command, err);
    const bool ok = words && vz_buffer_reserve(&text, VZ_ANSWER_MAX + 2, err) && collect(words, &text, err) &&
                    is_version_1(&text, err) &&
                    vz_auth_keys_from_json((vz_bytes){text.data, text.size}, &names, WHO, keys, err);
    free(words);
    vz_secret_clear(&text);
    return ok;
}
