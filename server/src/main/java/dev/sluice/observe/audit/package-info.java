/// The audit, which compares the tables with each other to check that no delivery was lost or
/// duplicated.
///
/// The audit reads the relay's tables with its own queries and repairs nothing. It writes only one
/// row, which records its progress.
@NullMarked
package dev.sluice.observe.audit;

import org.jspecify.annotations.NullMarked;
