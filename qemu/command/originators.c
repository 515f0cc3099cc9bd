/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/originators.h"

#include "qemu/job/mesh_ops.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/memory.h"
#include "qemu/base/parse.h"

#include <stdlib.h>

static const char *refused_with(const struct request *request)
{
    if (!schedule_has_groups(request->schedule.kind)) {
        return "several originators must have --schedule star (default) or "
               "farm";
    }
    if (request->batch_units > 0) {
        return "several originators must be given without --batch: each load "
               "goes at once";
    }
    return NULL;
}

static int check_places(const struct option_places *given)
{
    for (uint32_t i = 0; i < given->count; ++i) {
        struct torus_coord at = given->place[i].at;

        for (uint32_t j = 0; j < i; ++j) {
            if (given->place[j].at.x == at.x && given->place[j].at.y == at.y) {
                return parse_report("--originator", given->place[i].text,
                                    "must be the only one at its node");
            }
        }
    }
    return 0;
}

int originators_set(struct job_originator **several,
                    const struct option_places *given, struct request *request)
{
    const char *plain = NULL;
    bool files = false;

    for (uint32_t i = 0; i < given->count; ++i) {
        files = files || given->place[i].more != NULL;
        plain = given->place[i].more == NULL ? given->place[i].text : plain;
    }
    if (!files && given->count > 1 && request->mesh->renew != NULL) {
        return parse_report("--originator", plain,
                            "must be the only one: on a mesh with serial ports "
                            "no other takes its place");
    }
    if (!files) {
        return check_places(given);
    }
    if (plain != NULL) {
        return parse_report(
            "--originator", plain,
            "must be X,Y=FILE, as the others are, or the only one");
    }
    if (request->originator[0].input_name != NULL) {
        return parse_report("INPUT", request->originator[0].input_name,
                            "must not be given with --originator X,Y=FILE");
    }
    if (given->count > 1) {
        if (parse_report("--originator", given->place[given->count - 1].text,
                         refused_with(request)) != 0 ||
            check_places(given) != 0) {
            return EXIT_USAGE;
        }
        *several = memory_or_exit(calloc(given->count, sizeof **several));
        request->originators = given->count;
        request->originator = *several;
    }
    for (uint32_t i = 0; i < given->count; ++i) {
        request->originator[i].at = given->place[i].at;
        request->originator[i].input_name = given->place[i].more;
    }
    return 0;
}

struct torus_coord *originators_preferred(const struct option_places *given,
                                          struct torus_coord at,
                                          uint32_t *count)
{
    struct torus_coord *preferred =
        memory_or_exit(calloc(given->count + 1u, sizeof *preferred));

    *count = given->count > 0 ? given->count : 1;
    preferred[0] = at;
    for (uint32_t i = 0; i < given->count; ++i) {
        preferred[i] = given->place[i].at;
    }
    return preferred;
}
