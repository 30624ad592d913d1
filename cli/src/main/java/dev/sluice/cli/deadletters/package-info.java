/// The group of commands `dlq`.
@NullMarked
package dev.sluice.cli.deadletters;

import org.jspecify.annotations.NullMarked;
