/// Decides which delivery is sent next, and sends it.
///
/// A fresh delivery comes straight from ingest; a waiting one is read back from the database by the
/// `lanes` package. A resend is a delivery that a user requested again; all other deliveries are
/// live. Each destination has its own queue, senders and permits, so a destination that hangs does
/// not block any other.
@NullMarked
package dev.sluice.relay.dispatch;

import org.jspecify.annotations.NullMarked;
