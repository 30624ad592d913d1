/// Whether an inbound request comes from whom it should: its headers, raw bytes and time of receipt
/// against the source's configuration. Pure.
///
/// The conventions of known senders stand in one table, `Conventions`.
@NullMarked
package dev.sluice.relay.verify;

import org.jspecify.annotations.NullMarked;
