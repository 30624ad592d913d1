package dev.sluice.engine.compression;

import java.time.Instant;

/// The dictionary with which a source's events are currently compressed.
///
/// @param number the number by which events refer to the dictionary
record Dictionary(int number, Instant createdAt) {}
