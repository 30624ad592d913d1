/// The composition root: the only package that imports from all layers of the server.
///
/// [Main] reads the arguments and settings. [Sluice] constructs the layers from the bottom up and
/// closes them in reverse order. No other package imports this one.
@NullMarked
package dev.sluice;

import org.jspecify.annotations.NullMarked;
