/// The audit, which compares the tables with each other to check that no delivery was lost or
/// duplicated.
///
/// It reads the relay's tables with its own queries. It writes only one row, which records how far
/// it got, and repairs nothing.
@NullMarked
package dev.sluice.observe.audit;

import org.jspecify.annotations.NullMarked;
