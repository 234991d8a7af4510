/* test_os_child.c - a process waits for its child, whatever its caller made of the signal of a child's end. */
#include "base/os/process.h"
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>
#include <cmocka.h>

#define PATIENCE_S 60 /* a wait without end is killed by SIGALRM */

static void (*handler_of(int number))(int)
{
    struct sigaction now;
    assert_int_equal(sigaction(number, NULL, &now), 0);
    return now.sa_handler;
}

/* How a child ends that had all the time to end before anybody waits. */
static vz_os_ended run_child(int status, bool first)
{
    vz_os_signals signals;
    vz_os_ended ended = {0};
    int ends[2];
    char byte;
    assert_int_equal(pipe(ends), 0);
    vz_os_signals_hold(&signals);
    const long child = vz_os_fork();
    if (child == 0)
        vz_os_exit(status);
    assert_true(child > 0);
    close(ends[1]);
    if (first) /* the child has closed its end, too */
        assert_int_equal(read(ends[0], &byte, 1), 0);
    alarm(PATIENCE_S);
    assert_int_equal(vz_os_signals_wait(&signals, child, &ended), 0);
    alarm(0);
    vz_os_signals_restore(&signals);
    close(ends[0]);
    return ended;
}

static void test_wait(void **state)
{
    (void)state;
    void (*const meanings[])(int) = {SIG_DFL, SIG_IGN};
    for (size_t i = 0; i < 2; i++) {
        signal(SIGCHLD, meanings[i]);
        for (int first = 0; first < 2; first++) {
            const vz_os_ended ended = run_child(3 + first, first);
            assert_int_equal(ended.status, 3 + first);
            assert_int_equal(ended.signal, 0);
            assert_ptr_equal(handler_of(SIGCHLD), meanings[i]);
        }
    }
    signal(SIGCHLD, SIG_DFL);
}

static void test_hold_has_a_handler(void **state)
{
    /* macOS drops a signal that is ignored by default, also while somebody waits for it. */
    (void)state;
    vz_os_signals signals;
    vz_os_signals_hold(&signals);
    assert_ptr_not_equal(handler_of(SIGCHLD), SIG_DFL);
    assert_ptr_not_equal(handler_of(SIGCHLD), SIG_IGN);
    vz_os_signals_restore(&signals);
    assert_ptr_equal(handler_of(SIGCHLD), SIG_DFL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wait),
        cmocka_unit_test(test_hold_has_a_handler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
