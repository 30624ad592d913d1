/// `Idempotency-Key`: a request that is sent twice with one key is carried out once. The answer is
/// kept in the transaction of what the request made.
@NullMarked
package dev.sluice.account.idempotency;

import org.jspecify.annotations.NullMarked;
