/// `Idempotency-Key`: a request that is sent twice with one key is carried out only once. Its
/// answer is stored in the same transaction as its changes.
@NullMarked
package dev.sluice.account.idempotency;

import org.jspecify.annotations.NullMarked;
