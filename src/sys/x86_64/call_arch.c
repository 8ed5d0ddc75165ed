/*
 * call_arch.c, x86-64: the system call itself: the kernel's own answer, which is -errno already.
 *
 * Method: System V ABI, AMD64 supplement, A.2.1.  syscall(2) takes three times as many instructions, and engines make millions.
 */
#include "sys/call.h"

long sys_call_six(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
	long returned;

	__asm__ volatile("syscall" : "=a"(returned) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
	                 : "rcx", "r11", "memory");
	return returned;
}
