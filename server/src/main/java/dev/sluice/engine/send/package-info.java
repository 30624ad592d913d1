/// Sends deliveries: the queues and permits of destinations, one attempt after the other, the
/// request that an attempt makes, and its one HTTP exchange under one deadline.
@NullMarked
package dev.sluice.engine.send;

import org.jspecify.annotations.NullMarked;
