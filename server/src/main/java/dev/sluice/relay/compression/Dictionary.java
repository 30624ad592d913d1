package dev.sluice.relay.compression;

import java.time.Instant;

/// The dictionary that currently compresses a source's events.
///
/// @param number the number by which events refer to the dictionary
record Dictionary(int number, Instant createdAt) {}
