/// The audit, which compares the tables with each other to check that no delivery was lost or
/// duplicated.
///
/// The audit reads the relay's tables with its own queries. It writes only one row, which says how
/// far the audit got, and repairs nothing.
@NullMarked
package dev.sluice.observe.audit;

import org.jspecify.annotations.NullMarked;
