/// The nouns of a webhook's way: event, delivery, attempt, outcome.
///
/// Open to every room of the relay and to the floors above.
@NullMarked
package dev.sluice.relay;

import org.jspecify.annotations.NullMarked;
