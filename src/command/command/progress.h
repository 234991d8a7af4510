/* progress.h - a bar on standard error that tells how far a command is: bytes, rate, time left. Only on a terminal;
 * elsewhere vz_progress_begin answers NULL, which all other functions take. */
#ifndef VZ_COMMAND_PROGRESS_H
#define VZ_COMMAND_PROGRESS_H

#include <stdint.h>

typedef struct vz_progress vz_progress;

/* `what`: a word for what is under way ("checking"), borrowed. total: bytes of all the work; 0: not known. One at a
 * time. NULL also for want of memory. */
vz_progress *vz_progress_begin(const char *what, uint64_t total);
/* So many bytes more are done. Any thread; it draws a few times a second at most. */
void vz_progress_add(vz_progress *progress, uint64_t bytes);
/* There is so much more to do than was known. Any thread. */
void vz_progress_more(vz_progress *progress, uint64_t bytes);
/* Takes the bar off the screen for a moment, before something else is printed; it is drawn again by the next add. */
void vz_progress_hide(vz_progress *progress);
/* Takes it off the screen and frees it. */
void vz_progress_end(vz_progress *progress);

#endif
