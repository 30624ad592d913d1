/// Describes how each known sender signs its webhooks with an HMAC. There is one class for each
/// sender, such as `StripeSignature`; `docs/reference/verification.md` compares them. This package
/// only describes: `relay.verify` checks and creates signatures.
@NullMarked
package dev.sluice.relay.signature;

import org.jspecify.annotations.NullMarked;
