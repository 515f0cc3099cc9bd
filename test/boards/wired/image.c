/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An image that shows how a board is wired, run on QEMU's netduinoplus2. It
 * says "up" on its console, and then takes commands there, P being one of the
 * ports e, n, w, s:
 *
 *   P c   sends the character c out of the port
 *   * P   sends BULK times 'z' out of the port, and says "sent"
 *   ! c   says "!c"
 *
 * A character that comes in is printed with its port, as "Pc", the end of a
 * line as "P?"; b is also passed on as an a, out of the opposite port.
 */
#include <stdint.h>

#define BULK 20000u
#define PORTS 4u
#define CONSOLE 4u
#define USARTS 5u

/* RM0090, 30.6.8: USART register map. */
struct usart {
    volatile uint32_t sr;
    volatile uint32_t dr;
    volatile uint32_t brr;
    volatile uint32_t cr1;
};

#define SR_RXNE 0x20u
#define SR_TXE 0x80u
#define CR1_UE_RXNEIE_TE_RE 0x202Cu

/* USART1, 2, 3 and 6: the ports east, north, west, south; UART4. */
static struct usart *const usart[USARTS] = {
    (struct usart *)0x40011000, (struct usart *)0x40004400,
    (struct usart *)0x40004800, (struct usart *)0x40011400,
    (struct usart *)0x40004C00};

/* NVIC: interrupts 37, 38, 39 and 52 are in the second word, 71 in the
   third. */
static volatile uint32_t *const nvic_enable = (uint32_t *)0xE000E100;
static volatile uint32_t *const nvic_clear = (uint32_t *)0xE000E280;

static const char names[] = "enws";

/* Looked at by a debugger, and changed. */
volatile uint32_t commands;
static char command[2];
static unsigned command_bytes;

static void put(unsigned at, char byte)
{
    while ((usart[at]->sr & SR_TXE) == 0) {
    }
    usart[at]->dr = (uint8_t)byte;
}

static void say(const char *text)
{
    while (*text != '\0') {
        put(CONSOLE, *text++);
    }
}

/* PORTS if the character is no port's. */
static unsigned port_of(char name)
{
    unsigned port = 0;

    while (port < PORTS && names[port] != name) {
        port += 1;
    }
    return port;
}

static void say_byte(char what, char byte)
{
    put(CONSOLE, what);
    put(CONSOLE, byte);
    put(CONSOLE, '\n');
}

static void obey(void)
{
    unsigned port = port_of(command[command[0] == '*']);

    if (command[0] == '!') {
        say_byte('!', command[1]);
    } else if (command[0] == '*' && port < PORTS) {
        for (uint32_t i = 0; i < BULK; ++i) {
            put(port, 'z');
        }
        say("sent\n");
    } else if (port < PORTS) {
        put(port, command[1]);
    }
    commands += command[0] != '!';
}

static void take_command(char byte)
{
    command[command_bytes++] = byte;
    if (command_bytes == sizeof command) {
        command_bytes = 0;
        obey();
    }
}

static void take(unsigned port, char byte)
{
    say_byte(names[port], byte == '\n' ? '?' : byte);
    if (byte == 'b') {
        put((port + 2) % PORTS, 'a');
    }
}

static unsigned look(void)
{
    unsigned found = 0;

    for (unsigned at = 0; at < USARTS; ++at) {
        if ((usart[at]->sr & SR_RXNE) != 0) {
            char byte = (char)usart[at]->dr;

            found += 1;
            if (at == CONSOLE) {
                take_command(byte);
            } else {
                take(at, byte);
            }
        }
    }
    return found;
}

void reset(void);

void reset(void)
{
    /* Interrupts wake the processor, but are never taken. */
    __asm volatile("cpsid i");
    for (unsigned at = 0; at < USARTS; ++at) {
        usart[at]->cr1 = CR1_UE_RXNEIE_TE_RE;
    }
    nvic_enable[1] = 1u << 5 | 1u << 6 | 1u << 7 | 1u << 20;
    nvic_enable[2] = 1u << 7;
    say("up\n");
    for (;;) {
        nvic_clear[1] = UINT32_MAX;
        nvic_clear[2] = UINT32_MAX;
        if (look() == 0) {
            __asm volatile("wfi");
        }
    }
}

extern uint32_t stack_top;

__attribute__((section(".vectors"),
               used)) static const void *const vectors[] = {
    &stack_top, (const void *)(uintptr_t)reset};
