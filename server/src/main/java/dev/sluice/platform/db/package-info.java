/// Accesses PostgreSQL: connections, transactions, rows, binary COPY and schema migrations.
///
/// Only this package uses the JDBC driver and the pool library. It converts every `SQLException` to
/// a [DbException].
@NullMarked
package dev.sluice.platform.db;

import org.jspecify.annotations.NullMarked;
