/// The basic types of the relay: event, delivery, attempt, outcome.
///
/// Every subpackage of the relay, and every layer above the relay, may import them.
@NullMarked
package dev.sluice.relay;

import org.jspecify.annotations.NullMarked;
