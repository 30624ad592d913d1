/// The `dlq` group of commands: listing, resending and dismissing dead letters.
@NullMarked
package dev.sluice.cli.deadletters;

import org.jspecify.annotations.NullMarked;
