/* thumbnail_pixel.c - one pixel of a thumbnail under way. */
#include "command/sample/sample_internal.h"
#include <math.h>
#include <string.h>

const char *vz_sample_scaling_words(vz_sample_scaling scaling)
{
    switch (scaling) {
    case VZ_SAMPLE_AS_IT_IS:
        return "a pixel is an element";
    case VZ_SAMPLE_MEANS:
        return "a pixel is the mean of its area";
    case VZ_SAMPLE_STRIDED:
        return "a pixel is one element of its area";
    case VZ_SAMPLE_CURVE:
        return "a column is the range of its elements";
    default:
        return "a column is one of its elements";
    }
}

double vz_sample_pixels_value(const vz_sample_pixels *p, const void *elements, uint64_t index)
{
    double value;
    if (p->size == 1)
        return ((const unsigned char *)elements)[index];
    memcpy(&value, (const char *)elements + index * sizeof value, sizeof value);
    return value;
}

void vz_sample_pixels_note(vz_sample_pixels *p, uint64_t pixel, vz_sample_pixel state)
{
    /* until an element has a value, the state that says most */
    static const unsigned char weight[] = {[VZ_PIXEL_VALUE] = 4,
                                           [VZ_PIXEL_UNREADABLE] = 3,
                                           [VZ_PIXEL_NAN] = 2,
                                           [VZ_PIXEL_SKIPPED] = 1,
                                           [VZ_PIXEL_ABSENT] = 0};
    uint8_t *at = &p->picture->states[pixel];
    if (weight[state] > weight[*at])
        *at = (uint8_t)state;
}

void vz_sample_pixels_add(vz_sample_pixels *p, uint64_t pixel, unsigned channel, double value)
{
    const uint64_t at = pixel * p->picture->channels + channel;
    if (!isfinite(value)) {
        vz_sample_pixels_note(p, pixel, VZ_PIXEL_NAN);
        return;
    }
    vz_sample_pixels_note(p, pixel, VZ_PIXEL_VALUE);
    if (!p->most)
        p->sums[at] += value;
    if (p->most && (p->counts[at] == 0 || value < p->sums[at]))
        p->sums[at] = value;
    if (p->most && (p->counts[at] == 0 || value > p->most[at]))
        p->most[at] = value;
    p->counts[at]++;
}
