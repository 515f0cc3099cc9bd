/* SPDX-License-Identifier: Apache-2.0 */
/* Of programs that link objects which tell of every edge, and do not listen. */

void __sanitizer_cov_trace_pc(void);
__attribute__((weak)) void __sanitizer_cov_trace_pc(void)
{
}
