/// Destinations: where webhooks go, how they are signed and how often they are tried again.
@NullMarked
package dev.sluice.gateway.destination;

import org.jspecify.annotations.NullMarked;
