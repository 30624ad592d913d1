/// What the commands about the API share: kinds of things and their names, pages, and printing
/// answers.
@NullMarked
package dev.sluice.cli.api;

import org.jspecify.annotations.NullMarked;
