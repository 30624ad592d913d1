/// Describes how each known sender that uses an HMAC signs its webhooks. There is one class for
/// each of these senders, such as `StripeSignature`; `docs/reference/verification.md` compares
/// them. This package contains only the descriptions; `relay.verify` checks and creates signatures.
@NullMarked
package dev.sluice.relay.signature;

import org.jspecify.annotations.NullMarked;
