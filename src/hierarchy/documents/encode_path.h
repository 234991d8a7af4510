/* encode_path.h - paths as JSON holds them. */
#ifndef VZ_DOCUMENTS_ENCODE_PATH_H
#define VZ_DOCUMENTS_ENCODE_PATH_H

#include "base/util/json_parse.h"

/* The form of paths in JSON, where they may not be UTF-8. Heap; what is no such form is a path itself. */
char *vz_path_to_text(const char *path, vz_error *err);
char *vz_path_from_text(const char *text, vz_error *err);
bool vz_path_text_is_coded(const char *text); /* is it not the path itself? */
vz_json *vz_path_json(const char *path, vz_error *err);

#endif
