/// Events with their deliveries and attempts, as users see them. Only reads.
@NullMarked
package dev.sluice.observe.events;

import org.jspecify.annotations.NullMarked;
