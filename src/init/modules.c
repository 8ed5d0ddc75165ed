/* modules.c: see modules.h. */
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>

#include "capacity.h"
#include "init/console.h"
#include "init/modules.h"
#include "lib/text.h"
#include "sys/call.h"
#include "sys/file.h"

#define FOLDER "/lib/modules"

static int load(char *line, void *context)
{
	char path[MAX_PATH];
	struct text text = TEXT(path);
	int fd, err;

	(void)context;
	text_add_format(&text, FOLDER "/%s", text_trim(line));
	fd = sys_open(path, O_RDONLY, 0);
	err = fd < 0 ? fd : (int)sys_call(SYS_finit_module, fd, "", 0);
	if (fd >= 0)
		sys_close(fd);
	if (err && err != -EEXIST && err != -ENODEV)
		console_say("module %s: %s", path, sys_error(err));
	return 0;
}

void modules_load(void)
{
	file_each_line(FOLDER "/assay.order", load, NULL);
}
