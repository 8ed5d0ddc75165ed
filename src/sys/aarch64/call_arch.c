/*
 * call_arch.c, aarch64: the system call itself: the kernel's own answer, which is -errno already.
 *
 * Method: syscall(2) of Linux' manual pages, "Architecture calling conventions".
 */
#include "sys/call.h"

long sys_call_six(long number, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d, x4 __asm__("x4") = e, x5 __asm__("x5") = f;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
	return x0;
}
