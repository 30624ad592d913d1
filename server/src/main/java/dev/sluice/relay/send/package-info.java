/// Makes the HTTP request of one delivery attempt and returns its outcome.
///
/// Uses no database. Every attempt ends by its deadline, whatever the receiver does.
@NullMarked
package dev.sluice.relay.send;

import org.jspecify.annotations.NullMarked;
