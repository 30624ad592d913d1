/// Accesses PostgreSQL: connections, transactions, rows, binary COPY and schema migrations.
///
/// Only this package uses the JDBC driver and the pool library. It converts every `SQLException` to
/// a [DbException]. Elsewhere, types that run SQL are named `…Store` or `…Queries`. The types here
/// that open connections and transactions also run SQL, such as `set lock_timeout`, but are named
/// after their role.
@NullMarked
package dev.sluice.platform.db;

import org.jspecify.annotations.NullMarked;
