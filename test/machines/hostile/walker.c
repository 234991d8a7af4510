/* walker.c - walker SECONDS MEGABYTES LISTING_MEGABYTES: for each line of standard input, a path, a child looks at that
 * file and changes it. Its answer is one line of standard output: "ok", or what went wrong.
 *
 * HDF5 and the connector are loaded once, before the first fork; no file is ever opened in the parent. A child may take
 * SECONDS of processor time, sleep for WATCH_WAIT_FACTOR times as many (it may wait for nothing), and take MEGABYTES of
 * memory, or for what only lists names and types LISTING_MEGABYTES. The words in `misbehaviour` are no paths: with them
 * the machine makes sure that it would see such a thing. */
#include "walk.h"
#include "watch.h"

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/lsan_interface.h>
#endif

enum { LISTING_EXIT = 90, LEAK_EXIT = 91 };

static long peak_kilobytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static void check_leaks(void)
{
#if defined __SANITIZE_ADDRESS__
    if (getenv("VZ_HOSTILE_LEAKS") && __lsan_do_recoverable_leak_check())
        _exit(LEAK_EXIT);
#endif
}

static void overflow(void)
{
    volatile char *byte = malloc(1);
    volatile size_t behind = 1; /* the compiler must not see it */
    byte[behind] = 1;
}

static void take_memory(void)
{
    enum { PIECE = 16 << 20 };
    for (void *piece; (piece = malloc(PIECE));)
        memset(piece, 1, PIECE);
}

static void take_time(void)
{
    for (volatile bool going = true; going;) {
    }
}

static void wait_forever(void)
{
    for (;;)
        poll(NULL, 0, 1);
}

static const struct {
    const char *word;
    void (*call)(void);
} misbehaviour[] = {{"misbehave: overflow", overflow},
                    {"misbehave: memory", take_memory},
                    {"misbehave: time", take_time},
                    {"misbehave: waits", wait_forever}};

static void misbehave(const char *word)
{
    for (size_t i = 0; i < sizeof misbehaviour / sizeof *misbehaviour; i++) {
        if (strcmp(word, misbehaviour[i].word) == 0)
            misbehaviour[i].call();
    }
}

/* Says where the time goes, which tells findings apart, and ends as without a handler. */
static void out_of_time(int number)
{
#if defined __SANITIZE_ADDRESS__
    __sanitizer_print_stack_trace();
#endif
    raise(number);
}

static void child(const char *path, const struct limits *limits)
{
    const struct rlimit processor = {(rlim_t)limits->seconds, (rlim_t)limits->seconds + 1}, core = {0, 0};
    const struct sigaction once = {.sa_handler = out_of_time, .sa_flags = SA_RESETHAND | SA_NODEFER};
    sigaction(SIGXCPU, &once, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CPU, &processor);
    setrlimit(RLIMIT_CORE, &core);
    misbehave(path);
    walk_listing(path);
    if (peak_kilobytes() - limits->idle_kilobytes > limits->listing_megabytes * 1024)
        _exit(LISTING_EXIT);
    walk_reading(path);
    walk_changes(path);
    H5close();
    check_leaks();
    _exit(0);
}

static void answer(const char *word, int status, const struct rusage *usage, const struct limits *limits)
{
    const long ms = (usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000 +
                    (usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1000;
    const long megabytes = (usage->ru_maxrss - limits->idle_kilobytes) / 1024;
    char text[32];
    if (!word && WIFSIGNALED(status)) {
        snprintf(text, sizeof text, "signal-%d", WTERMSIG(status));
        word = WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL ? "time" : text;
    } else if (!word && WEXITSTATUS(status) != 0) {
        snprintf(text, sizeof text, "exit-%d", WEXITSTATUS(status));
        word = WEXITSTATUS(status) == LISTING_EXIT ? "listing-memory"
               : WEXITSTATUS(status) == LEAK_EXIT  ? "leak"
                                                   : text;
    } else if (!word) {
        word = megabytes > limits->megabytes ? "memory" : "ok";
    }
    printf("%s %ld %ld\n", word, ms, megabytes);
    fflush(stdout);
}

static long idle(void)
{
    int status;
    struct rusage usage;
    const pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    wait4(pid, &status, 0, &usage);
    return usage.ru_maxrss;
}

int main(int count, char **arguments)
{
    static char line[4096];
    if (count != 4)
        return 2;
    struct limits limits = {atol(arguments[1]), atol(arguments[2]), atol(arguments[3]), 0};
    sigset_t chld;
    sigemptyset(&chld);
    sigaddset(&chld, SIGCHLD);
    sigprocmask(SIG_BLOCK, &chld, NULL);
    H5open();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    if (H5VLis_connector_registered_by_name("zarr") <= 0)
        return 3;
    limits.idle_kilobytes = idle();
    while (fgets(line, sizeof line, stdin)) {
        int status = 0;
        struct rusage usage = {0};
        line[strcspn(line, "\n")] = '\0';
        const pid_t pid = fork();
        if (pid < 0)
            return 4;
        if (pid == 0)
            child(line, &limits);
        const char *word = watch(pid, &limits, &status, &usage);
        answer(word, status, &usage, &limits);
    }
    return 0;
}
