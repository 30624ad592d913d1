/// Makes the HTTP request of one delivery attempt and returns its outcome.
///
/// Uses no database. Every attempt ends within its deadline, whatever the receiver does.
@NullMarked
package dev.sluice.relay.send;

import org.jspecify.annotations.NullMarked;
