/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults of a mesh of boards with serial ports.
 *
 * --inject orders some for emulated boards: a board dies as its QEMU is killed;
 * it hangs as its QEMU is stopped, and with its processor the switch, which is
 * software; a cable is cut as its socket is shut down. Such boards have the
 * host's time, so that faults come by the host's clock. They come while boards
 * carry out an order: not before it has been taken, and not between two.
 *
 * Nobody knows when other boards die. A discovery tells which do not answer.
 */
#ifndef QEMU_JOB_SERIAL_FAULTS_H
#define QEMU_JOB_SERIAL_FAULTS_H

#include "qemu/fabric/faults.h"
#include "qemu/job/request.h"
#include "qemu/serial/wired_boards.h"

struct serial_faults {
    const struct request *request;
    struct wired *wired; /* emulated boards; NULL: boards are real */
    bool *done;          /* of each injection: it has been carried out */
    bool begun;          /* there was an order */
    bool running;        /* boards carry out an order */
    double first_s;      /* host_clock_s() of the first order */
};

/* The request must stay valid. */
void serial_faults_open(struct serial_faults *faults,
                        const struct request *request);
void serial_faults_close(struct serial_faults *faults);

/* Notes that boards have taken an order, and that its report has come. */
void serial_faults_start(struct serial_faults *faults);
void serial_faults_pause(struct serial_faults *faults);

/* Carries out what is due, and adds it to `dead`. Before the first order that
   is what was to be dead before the job. Returns the time until the next one is
   due, s; a large number if there is none. */
double serial_faults_act(struct serial_faults *faults,
                         struct schedule_holes *dead);

/* Adds what was carried out, and what the last discovery did not find:
   `holes`. */
void serial_faults_read(const struct serial_faults *serial,
                        struct faults *faults,
                        const struct schedule_holes *holes);

#endif
