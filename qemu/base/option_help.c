/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/base/option_help.h"

#include "qemu/base/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE 79u
#define TEXT_COLUMN 29u /* where the help of an option begins */

/* ---- choices ---- */

bool option_choice(char choice[OPTION_CHOICE_BYTES],
                   const struct option_row *row, size_t index)
{
    const char *at = row->choices != NULL ? row->choices : "";
    const char *name = NULL;
    size_t i = 0;

    for (; *at != '\0'; i += 1) {
        size_t length = strcspn(at, " ");

        if (i == index) {
            snprintf(choice, OPTION_CHOICE_BYTES, "%.*s", (int)length, at);
            return true;
        }
        at += length + (at[length] == ' ');
    }
    for (; row->choice != NULL && row->choice(i) != NULL && name == NULL;
         i += 1) {
        name = i == index ? row->choice(i) : NULL;
    }
    if (name == NULL && i == index) {
        name = row->word;
    }
    snprintf(choice, OPTION_CHOICE_BYTES, "%s", name != NULL ? name : "");
    return name != NULL;
}

/* ---- lines ---- */

/* Prints text in lines: the first one has `column` characters already, further
   ones begin at column `indent`. */
static void print_line(const char *text, size_t length, size_t column,
                       size_t indent)
{
    terminal_print(stdout, text, length, column, indent, LINE);
    putchar('\n');
}

static void print_lines(const char *text, size_t length)
{
    for (size_t at = 0; at < length; at += 1) {
        size_t line = strcspn(text + at, "\v\n");

        print_line(text + at, line, 0, 0);
        at += line;
    }
}

/* ---- rows ---- */

static size_t print_name(const struct option_row *row)
{
    const char letter[] = {'-', row->letter, ',', '\0'};
    bool takes = row->value != NULL;

    return (size_t)printf(
        "  %-3s --%s%s%s%s%s", row->letter != '\0' ? letter : "", row->name,
        takes && row->optional ? "[" : "", takes ? "=" : "",
        takes ? row->value : "", takes && row->optional ? "]" : "");
}

static void print_row(const struct option_row *row)
{
    size_t column = print_name(row);

    if (column > TEXT_COLUMN + 2) {
        printf("\n%*s", (int)TEXT_COLUMN, "");
        column = TEXT_COLUMN;
    } else {
        size_t gap = column + 2 < TEXT_COLUMN ? TEXT_COLUMN - column : 3;

        printf("%*s", (int)gap, "");
        column += gap;
    }
    print_line(row->help, strlen(row->help), column, TEXT_COLUMN);
}

/* Prints an option's name, and as much of its help as the line holds. */
static void print_short(const struct option_row *row)
{
    size_t column = print_name(row);
    size_t length = strlen(row->help);
    size_t gap = column + 2 < TEXT_COLUMN ? TEXT_COLUMN - column : 2;
    size_t room = LINE - column - gap;
    size_t some = terminal_fitting(row->help, length, room);

    if (column + gap + 20 > LINE || some > room) {
        putchar('\n');
        return;
    }
    if (some < length && some + 3 > room) {
        some = terminal_fitting(row->help, length, room - 3);
    }
    while (some < length && strchr(" ,:;(", row->help[some - 1]) != NULL) {
        some -= 1;
    }
    printf("%*s%.*s%s\n", (int)gap, "", (int)some, row->help,
           some < length ? " .." : "");
}

/* Prints an option as a line of six fields for programs
   (option_help_print()). */
static void print_fields(const struct option_row *row)
{
    char choice[OPTION_CHOICE_BYTES];

    printf("%s\t%.1s\t%s\t%s\t", row->name, &row->letter,
           row->value != NULL ? row->value : "",
           row->optional   ? "optional"
           : row->required ? "required"
                           : "");
    for (size_t i = 0; option_choice(choice, row, i); ++i) {
        printf("%s%s", i > 0 ? " " : "", choice);
    }
    printf("\t%s\n", row->help);
}

/* ---- the help ---- */

static int compare_rows(const void *a, const void *b)
{
    const struct option_row *one = *(const struct option_row *const *)a;
    const struct option_row *other = *(const struct option_row *const *)b;
    int by_group = one->group - other->group;

    if (by_group != 0) {
        return by_group;
    }
    if (one->letter != '\0' || other->letter != '\0') {
        return (one->letter != '\0' ? one->letter : one->name[0]) -
               (other->letter != '\0' ? other->letter : other->name[0]);
    }
    return strcmp(one->name, other->name);
}

static void print_rows(const struct option_command *command,
                       const struct option_row *row[], size_t rows,
                       void (*print)(const struct option_row *row))
{
    bool letters = false;

    for (size_t i = 0; i < rows; ++i) {
        const char *heading = command->heading[row[i]->group];
        bool first = i == 0 || row[i]->group != row[i - 1]->group;

        if (first && heading != NULL) {
            printf("\n ");
            print_line(heading, strlen(heading), 1, 1);
        } else if (i == 0) {
            putchar('\n');
        }
        print(row[i]);
        letters = letters || (row[i]->letter != '\0' && row[i]->value != NULL);
    }
    if (letters && print == print_row) {
        puts("\nMandatory or optional arguments to long options are also "
             "mandatory or optional\nfor any corresponding short options.");
    }
}

void option_help_print(const struct option_command *command,
                       const struct option_row *row[], size_t rows,
                       const char *how)
{
    const char *text = command->text;
    size_t before = strcspn(text, "\v");
    const char *words = command->words != NULL ? command->words : "";

    qsort(row, rows, sizeof(struct option_row *), compare_rows);
    if (strcmp(how, "rows") == 0) {
        for (size_t i = 0; i < rows; ++i) {
            print_fields(row[i]);
        }
        return;
    }
    printf("Usage: quincunx %s%s%s%s\n", command->name,
           rows > 0 ? " [OPTION...]" : "", *words != '\0' ? " " : "", words);
    if (strcmp(how, "short") == 0) {
        print_rows(command, row, rows, print_short);
        printf("\n`quincunx %s --help' says more of each.\n", command->name);
        return;
    }
    print_lines(text, before);
    print_rows(command, row, rows, print_row);
    if (text[before] == '\v') {
        putchar('\n');
        print_lines(text + before + 1, strlen(text + before + 1));
    }
}
