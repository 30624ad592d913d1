/// `Idempotency-Key`: a request that is sent twice with the same key is carried out only once.
/// Where possible, its answer is stored in the same transaction as its changes.
@NullMarked
package dev.sluice.account.idempotency;

import org.jspecify.annotations.NullMarked;
