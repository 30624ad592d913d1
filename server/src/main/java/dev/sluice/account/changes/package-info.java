/// The log of changes: who changed what, written in the transaction of the change.
@NullMarked
package dev.sluice.account.changes;

import org.jspecify.annotations.NullMarked;
