package dev.sluice.relay.compression;

import java.time.Instant;

/// The dictionary that currently compresses a source's events.
///
/// @param number the number that events use to refer to it
record Dictionary(int number, Instant createdAt) {}
