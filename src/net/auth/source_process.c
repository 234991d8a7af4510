/* source_process.c - credential_process: a program that prints credentials. Its command line is
 * split into words as a shell does, and no shell sees it. The user reads its error output, which
 * goes into no message. */
#include "net/auth/auth_internal.h"
#include "base/util/json.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TIME_MAX_MS 60000
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

char **vz_process_words(const char *command, vz_error *err)
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
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* It gets the signals' ordinary meaning back: Python programs ignore SIGPIPE. */
static int spawn(char **words, int output, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigemptyset(&all);
    sigaddset(&all, SIGPIPE);
    sigaddset(&all, SIGINT);
    sigaddset(&all, SIGTERM);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    const int failed = posix_spawnp(pid, words[0], &actions, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

/* Reads its output until it closes it, the time is over or the buffer is full. */
static bool read_output(int file, int64_t until, vz_buffer *out, vz_error *err)
{
    for (;;) {
        const int64_t left = until - now_ms();
        struct pollfd wait = {.fd = file, .events = POLLIN};
        const int ready = left > 0 ? poll(&wait, 1, (int)left) : 0;
        if (ready == 0)
            return vz_fail(err, VZ_IO, WHO ": it did not end within %d s", TIME_MAX_MS / 1000);
        if (ready < 0 && errno == EINTR)
            continue;
        const ssize_t size = read(file, out->data + out->size, VZ_ANSWER_MAX + 1 - out->size);
        if (size < 0 && errno == EINTR)
            continue;
        if (size < 0)
            return vz_fail_errno(err, errno, WHO ": cannot read what it prints");
        out->size += (size_t)size;
        if (size == 0)
            return true;
        if (out->size > VZ_ANSWER_MAX)
            return vz_fail(err, VZ_LIMIT, WHO ": it printed more than %d bytes", VZ_ANSWER_MAX);
    }
}

/* Waits, and kills it when it takes too long. Its status; 0 where a handler of the program's has
 * reaped it already. */
static int reap(pid_t pid, int64_t until)
{
    int status = 0;
    for (;;) {
        const pid_t ended = waitpid(pid, &status, WNOHANG);
        if (ended == pid)
            return status;
        if (ended < 0 && errno != EINTR)
            return 0;
        if (now_ms() >= until) {
            kill(pid, SIGKILL);
            while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
                ;
            return status;
        }
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
}

static bool judge(int status, vz_error *err)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    if (WIFEXITED(status))
        return vz_fail(err, VZ_PERMISSION, WHO ": it ended with status %d", WEXITSTATUS(status));
    return vz_fail(err, VZ_IO, WHO ": it was ended by signal %d", WTERMSIG(status));
}

static bool collect(char **words, vz_buffer *out, vz_error *err)
{
    int ends[2];
    pid_t pid;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return vz_fail_errno(err, errno, WHO ": no pipe");
    const int failed = spawn(words, ends[1], &pid);
    close(ends[1]);
    if (failed) {
        close(ends[0]);
        return vz_fail_errno(err, failed, WHO ": cannot run %.100s", words[0]);
    }
    const bool ok = read_output(ends[0], now_ms() + TIME_MAX_MS, out, err);
    close(ends[0]);
    const int status = reap(pid, ok ? now_ms() + LAST_MS : now_ms());
    return ok && judge(status, err);
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

bool vz_process_run(const char *command, vz_net_keys *keys, vz_error *err)
{
    static const vz_net_keys_names names = {NULL,           "AccessKeyId", "SecretAccessKey",
                                            "SessionToken", "Expiration",  false};
    vz_buffer text = {0};
    char **words = vz_process_words(command, err);
    const bool ok = words && vz_buffer_reserve(&text, VZ_ANSWER_MAX + 2, err) && collect(words, &text, err) &&
                    is_version_1(&text, err) &&
                    vz_net_keys_from_json((vz_bytes){text.data, text.size}, &names, WHO, keys, err);
    free(words);
    vz_secret_clear(&text);
    return ok;
}
