/// Writes many events, or many results of deliveries, in one transaction each, and answers only
/// after it is flushed. Also the stores of what such a transaction writes, and the partitions of
/// days.
@NullMarked
package dev.sluice.engine.commit;

import org.jspecify.annotations.NullMarked;
