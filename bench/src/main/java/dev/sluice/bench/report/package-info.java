/// What a scenario found, as a table on the terminal, a Markdown page and a JSON file.
@NullMarked
package dev.sluice.bench.report;

import org.jspecify.annotations.NullMarked;
