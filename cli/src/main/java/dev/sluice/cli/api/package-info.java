/// Code that the commands about the API share: resource types, look-up by name, paging, and
/// printing results.
@NullMarked
package dev.sluice.cli.api;

import org.jspecify.annotations.NullMarked;
