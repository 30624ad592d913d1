/// Runs the PostgreSQL server that ships with Sluice: unpacks, initializes, starts, monitors and
/// stops it.
///
/// The data survives a `kill -9` of the server, of Sluice, or of both. The server listens only on
/// loopback, with a password that only the owner of the data directory can read. Other packages
/// handle the database schema, the connection pools and the lock on the data directory.
///
/// Only this package knows how the binaries are packaged and which processes run.
@NullMarked
package dev.sluice.platform.postgres;

import org.jspecify.annotations.NullMarked;
