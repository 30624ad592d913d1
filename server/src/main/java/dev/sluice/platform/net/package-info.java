/// Which addresses and host names are public, and which the operator opened beside them.
@NullMarked
package dev.sluice.platform.net;

import org.jspecify.annotations.NullMarked;
