/// Reads stored events into the forms that the API shows.
@NullMarked
package dev.sluice.history.events;

import org.jspecify.annotations.NullMarked;
