/*
 * identity_check.h: what a board file declares against what the machine shows.  Pure: no device is touched.
 */
#ifndef IDENTITY_CHECK_H
#define IDENTITY_CHECK_H

#include "board.h"
#include "event.h"
#include "identity.h"

/* Called for each finding: EVENT_FAIL, EVENT_ERROR, EVENT_SKIP, EVENT_WARN or EVENT_LOG, with a line for people. */
typedef void identity_say(void *context, enum event_kind kind, const char *message);

void identity_check_sku(const struct board *board, const struct identity *identity, identity_say *say, void *context);
void identity_check_serial(const struct board *board, const struct identity *identity, identity_say *say, void *context);
/* Returns the index of the disk that plays the role, or a negative number when none does. */
int identity_check_storage(const struct storage_role *role, const struct identity *identity, identity_say *say, void *context);
/* Its link alone; a role that declares nothing is held to what both ends can do. */
void identity_check_link(const struct storage_role *role, const struct disk *disk, identity_say *say, void *context);
void identity_check_port(const struct network_port *port, const struct identity *identity, identity_say *say, void *context);

#endif
