/// Helpers that know nothing of webhooks: options, JSON, HTTP messages, processes.
@NullMarked
package dev.sluice.bench.platform;

import org.jspecify.annotations.NullMarked;
