/// The composition root: the only package that sees all floors.
///
/// `Main` reads arguments and settings, `Sluice` builds every object with `new` and closes them in
/// reverse. Nothing imports this package.
@NullMarked
package dev.sluice;

import org.jspecify.annotations.NullMarked;
