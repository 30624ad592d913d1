/// Talking to PostgreSQL: transactions, rows, binary COPY, migrations.
///
/// Only this room knows the driver and the pool. It turns every `SQLException` into a
/// [DbException].
@NullMarked
package dev.sluice.platform.db;

import org.jspecify.annotations.NullMarked;
