/// Verifies that an inbound request really comes from the configured sender. Also signs webhooks as
/// a sender does, and answers senders' challenges. This package has no state and performs no I/O.
///
/// The checks use the headers, the raw body, the URL, the time of receipt and the source's
/// configuration. `relay.signature` describes how known senders sign their requests.
@NullMarked
package dev.sluice.relay.verify;

import org.jspecify.annotations.NullMarked;
