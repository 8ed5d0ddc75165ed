/*
 * guard.h: changing a setting of the machine so that it is always put back.
 *
 * guard_start forks the guardian process.  It ends the command's process group and restores, in reverse order, when the
 * main process ends for whatever reason, SIGKILL included; only what still reads as it did after our write is restored.
 */
#ifndef GUARD_H
#define GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Before any guard_write, and before threads.  0 or -errno. */
int guard_start(void);
/* The process group that the guardian ends, should the main process be gone: of the child that runs now; 0: none, its
 * number may be somebody else's from here on, and the words that it left are put back before this returns.  0 or -errno. */
int guard_note_group(pid_t group);
/* Saves the file's content, writes value, reads back.  0; -EPERM and so on when it could not be saved or written; -EIO
 * when it does not read back as value (`readback`, may be NULL, gets what it reads).  The guardian knows of the old
 * content before the write happens.  -ENOTCONN without a guardian; then nothing is written.
 * Files that show a choice ("always [madvise] never") are written, compared and restored by the chosen word. */
int guard_write(const char *path, const char *value, char *readback, size_t size);
/*
 * The same for one word of 8 bytes at an offset of a file, such as an MSR; `before` gets what it was.  A step's child may do this:
 * it puts the word back by guard_word_back, and should it be killed, the guardian does.  On error it is as it was.
 */
int guard_word(const char *path, uint64_t offset, uint64_t value, uint64_t *before);
/* Puts `before` back where it still reads `value`.  0 or -errno: then the guardian tries again. */
int guard_word_back(const char *path, uint64_t offset, uint64_t value, uint64_t before);
/* Both for a whole setting, as guard_write; for a step's child that changes it to and fro.  `before` (of size bytes) gets the chosen word,
 * or all that it read.  On error it is as it was. */
int guard_set(const char *path, const char *value, char *before, size_t size);
int guard_set_back(const char *path, const char *value, const char *before);
/* The same for a file that takes commands and reads as something else: `undo` is what takes `word` back. */
int guard_command(const char *path, const char *word, const char *undo);
int guard_command_back(const char *path, const char *undo);
/* The descriptor that a step's child keeps for that; -1 without a guardian. */
int guard_descriptor(void);
/* Restores all now and waits for the guardian to end: how many could not be restored.  What somebody else changed after
 * us is left alone and not counted. */
int guard_end(void);
/* In a process that makes no settings: lets go of the guardian. */
void guard_forget(void);

#endif
