@NullMarked
package dev.sluice.bench.ledger;

import org.jspecify.annotations.NullMarked;
