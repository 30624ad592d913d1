/// Makes the HTTP request for one delivery attempt and returns its outcome.
///
/// This package uses no database. Every attempt ends by its deadline, whatever the receiver does.
@NullMarked
package dev.sluice.relay.send;

import org.jspecify.annotations.NullMarked;
