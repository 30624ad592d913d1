/// Destinations, which receive deliveries: their URLs, authentication, limits and retry schedules.
@NullMarked
package dev.sluice.gateway.destination;

import org.jspecify.annotations.NullMarked;
