/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/live/show.h"

#include "qemu/page/page.h"
#include "qemu/support/memory.h"

#include <stdio.h>
#include <stdlib.h>

void show_page(struct serve *serve, const json_t *report)
{
    char policy[PAGE_POLICY_BYTES];
    size_t bytes;
    char *page = memory_or_exit(page_text(report, &bytes));

    page_policy(policy, page);
    serve_page(serve, page, bytes, policy);
    free(page);
}

void show_address(const struct serve *serve)
{
    fprintf(stderr, "page      %s\n", serve_address(serve));
    fflush(stderr);
}

void show_end(struct serve *serve, bool report)
{
    serve_end(serve, "end",
              report ? "{\"report\":true}" : "{\"report\":false}");
}
