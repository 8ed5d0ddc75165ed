/*
 * exit_device.h: ending QEMU with a status, for tests of the whole boot.
 *
 * x86-64: `-device isa-debug-exit,iobase=0xf4,iosize=0x04`; QEMU's status is (code << 1) | 1.
 * aarch64: `-semihosting-config enable=on,target=native,userspace=on`; QEMU's status is the code.
 * Only on request, never by itself: on real hardware the x86 port may be anything.
 */
#ifndef EXIT_DEVICE_H
#define EXIT_DEVICE_H

/* Returns only when there is no such device: -ENODEV, or -errno when it may not be used. */
int exit_device(unsigned code);

#endif
