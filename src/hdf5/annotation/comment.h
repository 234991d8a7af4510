/* comment.h - what H5Oset_comment says of an object: annotation "cmt", or "cmtb" in base64 when it is not UTF-8. */
#ifndef VZ_ANNOTATION_COMMENT_H
#define VZ_ANNOTATION_COMMENT_H

#include "hdf5/annotation/annotation.h"

char *vz_comment(const vz_node *node, vz_error *err); /* heap; "" where there is none */
/* NULL and "" remove it. */
bool vz_comment_set(vz_node *node, const char *text, vz_error *err);

#endif
