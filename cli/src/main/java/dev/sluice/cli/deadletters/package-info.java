/// The `dlq` command group, which lists, resends and dismisses dead letters.
@NullMarked
package dev.sluice.cli.deadletters;

import org.jspecify.annotations.NullMarked;
