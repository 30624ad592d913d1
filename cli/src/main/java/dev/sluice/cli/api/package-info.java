/// Code shared by the commands that call the API: resource types, lookup by name, paging, and
/// printing results.
@NullMarked
package dev.sluice.cli.api;

import org.jspecify.annotations.NullMarked;
