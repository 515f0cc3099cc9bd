/* SPDX-License-Identifier: Apache-2.0 */
/* The text to be searched; BENCH_TEXT is its file. */
    .syntax unified
    .section .rodata.bench_text, "a"
    .global bench_text, bench_text_end
bench_text:
    .incbin BENCH_TEXT
bench_text_end:
    .byte 0
