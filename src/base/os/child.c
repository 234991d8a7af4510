/* child.c - child processes; see process.h. */
#include "base/os/process_internal.h"
#include "base/os/process.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NS_PER_MS 1000000

long vz_os_fork(void)
{
    return fork();
}

void vz_os_exit(int status)
{
    _exit(status);
}

const char *vz_os_signal_name(int number)
{
    return strsignal(number);
}

/* ---- a program ---- */

/* It gets the signals' ordinary meaning back: Python programs ignore SIGPIPE. */
static int spawn(char *const *words, int output, pid_t *child)
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
    const int failed = posix_spawnp(child, words[0], &actions, &attributes, words, vz_os_environ());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

int vz_os_run(char *const *words, long *child, int *output)
{
    int ends[2];
    pid_t id = -1;
    *child = 0;
    *output = -1;
    if (vz_os_pipe(ends) != 0)
        return errno;
    const int failed = spawn(words, ends[1], &id);
    close(ends[1]);
    if (failed)
        close(ends[0]);
    else
        *output = ends[0];
    *child = id;
    return failed;
}

ptrdiff_t vz_os_output_read(int output, void *data, size_t size, int64_t ms)
{
    const int64_t until = vz_os_now_ns() + ms * NS_PER_MS;
    for (int64_t left = ms;; left = (until - vz_os_now_ns()) / NS_PER_MS) {
        struct pollfd wait = {.fd = output, .events = POLLIN};
        const int ready = left > 0 ? poll(&wait, 1, (int)left) : 0;
        if (ready == 0) {
            errno = ETIMEDOUT;
            return -1;
        }
        const ssize_t got = ready > 0 ? read(output, data, size) : -1;
        if (got >= 0 || errno != EINTR)
            return got;
    }
}

void vz_os_output_close(int output)
{
    close(output);
}

/* ---- its end ---- */

static vz_os_ended ended_by(int status)
{
    return WIFSIGNALED(status) ? (vz_os_ended){.signal = WTERMSIG(status)}
                               : (vz_os_ended){.status = WEXITSTATUS(status)};
}

bool vz_os_wait(long child, uint64_t ms, unsigned look_ms, vz_os_ended *ended)
{
    const int64_t until = vz_os_now_ns() + (int64_t)ms * NS_PER_MS;
    for (;;) {
        int status = 0;
        const pid_t id = waitpid((pid_t)child, &status, WNOHANG);
        *ended = id == child ? ended_by(status) : (vz_os_ended){0};
        if (id == child || (id < 0 && errno != EINTR))
            return true;
        if (vz_os_now_ns() >= until)
            return false;
        vz_os_sleep_us((uint64_t)look_ms * 1000);
    }
}

void vz_os_kill(long child, vz_os_ended *ended)
{
    int status = 0;
    kill((pid_t)child, SIGKILL);
    while (waitpid((pid_t)child, &status, 0) < 0 && errno == EINTR)
        ;
    *ended = ended_by(status);
}

/* ---- signals ---- */

static const int stoppers[] = {SIGINT, SIGTERM, SIGHUP};

static void notice_child(int number)
{
    (void)number;
}

/* The end of a child is ignored unless there is a handler. macOS then drops the signal, even if it
 * is held. */
void vz_os_signals_hold(vz_os_signals *signals)
{
    const struct sigaction noticed = {.sa_handler = notice_child, .sa_flags = SA_RESTART | SA_NOCLDSTOP};
    sigemptyset(&signals->held);
    sigaddset(&signals->held, SIGCHLD);
    for (size_t i = 0; i < sizeof stoppers / sizeof *stoppers; i++) {
        struct sigaction now;
        if (sigaction(stoppers[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(&signals->held, stoppers[i]);
    }
    sigprocmask(SIG_BLOCK, &signals->held, &signals->before);
    sigaction(SIGCHLD, &noticed, &signals->child_before);
}

void vz_os_signals_restore(const vz_os_signals *signals)
{
    sigaction(SIGCHLD, &signals->child_before, NULL);
    sigprocmask(SIG_SETMASK, &signals->before, NULL);
}

int vz_os_signals_wait(const vz_os_signals *signals, long child, vz_os_ended *ended)
{
    for (;;) {
        int number = 0, status = 0;
        const int failed = sigwait(&signals->held, &number);
        if (failed == EINTR)
            continue;
        if (failed || number != SIGCHLD) {
            vz_os_kill(child, ended);
            return failed ? SIGTERM : number;
        }
        if (waitpid((pid_t)child, &status, WNOHANG) == child) {
            *ended = ended_by(status);
            return 0;
        }
    }
}

void vz_os_raise(int number)
{
    signal(number, SIG_DFL);
    raise(number);
}
