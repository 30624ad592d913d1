/// Code that all commands share: their environment, common options, output formats, errors and exit
/// codes, and helpers for JSON, times and waiting.
@NullMarked
package dev.sluice.cli.shell;

import org.jspecify.annotations.NullMarked;
