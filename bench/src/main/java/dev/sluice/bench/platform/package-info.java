/// Helpers that know nothing about webhooks: options, JSON, HTTP messages and processes.
@NullMarked
package dev.sluice.bench.platform;

import org.jspecify.annotations.NullMarked;
