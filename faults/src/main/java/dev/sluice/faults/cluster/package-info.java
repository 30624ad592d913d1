/// Relays on one PostgreSQL that no relay owns, and the means to damage its disk and its clock.
@NullMarked
package dev.sluice.faults.cluster;

import org.jspecify.annotations.NullMarked;
