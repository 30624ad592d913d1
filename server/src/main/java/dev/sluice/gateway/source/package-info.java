/// Sources, which receive webhooks: their verification and response settings, and the trash for
/// deleted sources.
@NullMarked
package dev.sluice.gateway.source;

import org.jspecify.annotations.NullMarked;
