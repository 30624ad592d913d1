/// Support for `Idempotency-Key`: a request that has succeeded is not carried out again if it is
/// repeated with the same key within 24 hours. Where possible, its response is stored in the same
/// transaction as its changes.
@NullMarked
package dev.sluice.account.idempotency;

import org.jspecify.annotations.NullMarked;
