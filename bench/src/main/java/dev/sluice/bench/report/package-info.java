/// Formats the findings of a scenario as tables on the terminal and as a Markdown page.
@NullMarked
package dev.sluice.bench.report;

import org.jspecify.annotations.NullMarked;
