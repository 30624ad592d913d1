/// Formats a scenario's findings as tables for the terminal and as a Markdown page.
@NullMarked
package dev.sluice.bench.report;

import org.jspecify.annotations.NullMarked;
