/* golden.h: what a sink has written to the buffer of sink_buffer.h is a file's content, byte by byte; GOLDEN_WRITE=1 writes the file anew. */
#ifndef GOLDEN_H
#define GOLDEN_H

#include <stdlib.h>

#include "sink_buffer.h"
#include "test.h"

static inline void check_golden(const char *path)
{
	static char want[sizeof buffer.bytes];
	bool write = getenv("GOLDEN_WRITE") != NULL;
	FILE *file = fopen(path, write ? "w" : "r");
	size_t n;

	check(file != NULL);
	if (!file)
		return;
	if (write)
		check(fwrite(buffer.bytes, 1, buffer.size, file) == buffer.size);
	n = write ? buffer.size : fread(want, 1, sizeof want, file);
	fclose(file);
	check_equal(n, buffer.size);
	if (!write && (n != buffer.size || memcmp(want, buffer.bytes, n))) {
		buffer.bytes[buffer.size] = 0;
		check(!"the output is the golden file's");
		printf("# got:\n%s", buffer.bytes);
	}
}

#endif
