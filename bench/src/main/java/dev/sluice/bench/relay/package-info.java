/// The relay that is being measured: its process, its database's process, and its management API.
@NullMarked
package dev.sluice.bench.relay;

import org.jspecify.annotations.NullMarked;
