/* progress.c - the bar. */
#include "command/command/command.h"
#include "base/os/terminal.h"
#include "base/os/thread.h"
#include <stdatomic.h>
#include <stdlib.h>
#include "base/os/process.h"

#define DRAW_EVERY_NS 100000000ull
#define BAR_CELLS     24u
#define ERASE_LINE    "\r\033[K"

struct vz_progress {
    const char *what;
    uint64_t began_ns;
    _Atomic(uint64_t) done, total;
    _Atomic(uint64_t) next_draw_ns;
    vz_os_mutex screen;
    bool shown;
};

/* The bar moves the cursor, which a dumb terminal cannot. */
bool vz_progress_wanted(void)
{
    const char *terminal = vz_os_environment("TERM");
    return vz_terminal_is(stderr) && (!terminal || strcmp(terminal, "dumb") != 0);
}

vz_progress *vz_progress_begin(const char *what, uint64_t total)
{
    vz_progress *progress = vz_progress_wanted() ? calloc(1, sizeof *progress) : NULL;
    if (!progress)
        return NULL;
    progress->what = what;
    progress->began_ns = (uint64_t)vz_os_now_ns();
    progress->total = total;
    progress->next_draw_ns = progress->began_ns + DRAW_EVERY_NS;
    vz_os_mutex_init(&progress->screen);
    return progress;
}

static void print_time(char text[VZ_SAY_SIZE], uint64_t seconds)
{
    const unsigned hours = seconds / 3600 > 9999 ? 9999 : (unsigned)(seconds / 3600);
    const unsigned minutes = (unsigned)(seconds / 60 % 60), rest = (unsigned)(seconds % 60);
    if (hours)
        snprintf(text, VZ_SAY_SIZE, "%u:%02u:%02u", hours, minutes, rest);
    else
        snprintf(text, VZ_SAY_SIZE, "%u:%02u", minutes, rest);
}

static void print_bar(char *bar, uint64_t done, uint64_t total)
{
    const unsigned cells = (unsigned)((double)done / (double)total * BAR_CELLS);
    for (unsigned i = 0; i < BAR_CELLS; i++)
        bar[i] = i < cells ? '#' : '-';
    bar[BAR_CELLS] = '\0';
}

/* The caller holds the screen. */
static void draw(vz_progress *progress, uint64_t now)
{
    const uint64_t total = progress->total, elapsed_ns = now - progress->began_ns;
    const uint64_t done = total && progress->done > total ? total : progress->done;
    const double rate = elapsed_ns ? (double)done * 1e9 / (double)elapsed_ns : 0;
    char done_text[VZ_SAY_SIZE], total_text[VZ_SAY_SIZE], rate_text[VZ_SAY_SIZE], left[VZ_SAY_SIZE] = "-:--";
    char bar[BAR_CELLS + 1], line[200];
    vz_say_size(done, done_text);
    vz_say_size((uint64_t)rate, rate_text);
    if (total) {
        print_bar(bar, done, total);
        if (rate > 0)
            print_time(left, (uint64_t)((double)(total - done) / rate + 0.5));
        snprintf(line, sizeof line, "%s [%s] %3u%%  %s of %s  %s/s  %s left", progress->what, bar,
                 (unsigned)((double)done / (double)total * 100), done_text, vz_say_size(total, total_text), rate_text,
                 left);
    } else {
        snprintf(line, sizeof line, "%s  %s  %s/s", progress->what, done_text, rate_text);
    }
    const unsigned width = vz_terminal_width(stderr);
    fprintf(stderr, ERASE_LINE "%.*s", (int)(width > 1 ? width - 1 : 1), line);
    fflush(stderr);
    progress->shown = true;
}

void vz_progress_add(vz_progress *progress, uint64_t bytes)
{
    if (!progress)
        return;
    progress->done += bytes;
    const uint64_t now = (uint64_t)vz_os_now_ns();
    uint64_t next = progress->next_draw_ns;
    if (now < next || !atomic_compare_exchange_strong(&progress->next_draw_ns, &next, now + DRAW_EVERY_NS))
        return;
    vz_os_mutex_lock(&progress->screen);
    draw(progress, now);
    vz_os_mutex_unlock(&progress->screen);
}

void vz_progress_hide(vz_progress *progress)
{
    if (!progress)
        return;
    vz_os_mutex_lock(&progress->screen);
    if (progress->shown)
        fputs(ERASE_LINE, stderr);
    progress->shown = false;
    fflush(stderr);
    vz_os_mutex_unlock(&progress->screen);
}

void vz_progress_end(vz_progress *progress)
{
    if (!progress)
        return;
    vz_progress_hide(progress);
    vz_os_mutex_destroy(&progress->screen);
    free(progress);
}
