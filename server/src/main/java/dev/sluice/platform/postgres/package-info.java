/// A PostgreSQL server of our own: unpacked, initialised, started, watched and stopped.
///
/// Only this room knows how the binaries are packed and which processes run.
@NullMarked
package dev.sluice.platform.postgres;

import org.jspecify.annotations.NullMarked;
