/// The API's read-only view of events, including their deliveries and attempts.
@NullMarked
package dev.sluice.observe.events;

import org.jspecify.annotations.NullMarked;
