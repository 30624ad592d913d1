/// The relay's basic types: event, delivery, attempt, outcome.
///
/// Every subpackage of the relay, and every layer above the relay, may import these types.
@NullMarked
package dev.sluice.relay;

import org.jspecify.annotations.NullMarked;
