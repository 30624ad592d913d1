/// A PostgreSQL server of our own: unpacked, initialised, started, watched and stopped.
///
/// Its data survives kill -9 of the server, of Sluice and of both. It listens on loopback only,
/// with a password that only we can read. Schema, pool and the lock of the data directory are
/// others' work.
///
/// Only this room knows how the binaries are packed and which processes run.
@NullMarked
package dev.sluice.platform.postgres;

import org.jspecify.annotations.NullMarked;
