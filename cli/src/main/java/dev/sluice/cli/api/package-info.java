/// Code that the commands about the API share: resource types, lookup by name, paging, and printing
/// results.
@NullMarked
package dev.sluice.cli.api;

import org.jspecify.annotations.NullMarked;
