package dev.sluice.relay.compression;

import java.time.Instant;

/// The dictionary with which events of a source are compressed now.
///
/// @param number the number by which events name it
record Dictionary(int number, Instant createdAt) {}
