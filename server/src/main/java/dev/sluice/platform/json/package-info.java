/// Reading and writing JSON. Only this room knows the library.
///
/// What comes in is read field by field, and all wrong fields are reported together.
@NullMarked
package dev.sluice.platform.json;

import org.jspecify.annotations.NullMarked;
