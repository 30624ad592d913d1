/// Live streams of events over Server-Sent Events.
@NullMarked
package dev.sluice.features.streams;

import org.jspecify.annotations.NullMarked;
