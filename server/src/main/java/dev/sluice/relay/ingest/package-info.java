/// `/in/<token>`: finds the source, reads the bytes, stores them, answers.
@NullMarked
package dev.sluice.relay.ingest;

import org.jspecify.annotations.NullMarked;
