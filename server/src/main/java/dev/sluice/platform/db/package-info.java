/// Accesses PostgreSQL: connections, transactions, rows, binary COPY and schema migrations.
///
/// Only this package uses the JDBC driver and the pool library. It converts every `SQLException` to
/// a [DbException]. The types that open connections and transactions run their own statements, such
/// as `set lock_timeout`. They are named after their role, not `…Store` or `…Queries`.
@NullMarked
package dev.sluice.platform.db;

import org.jspecify.annotations.NullMarked;
