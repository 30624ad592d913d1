/// Makes one HTTP request for a delivery and says what it came to.
///
/// Knows no database. Whatever a receiver does, an attempt ends within its deadline.
@NullMarked
package dev.sluice.relay.send;

import org.jspecify.annotations.NullMarked;
