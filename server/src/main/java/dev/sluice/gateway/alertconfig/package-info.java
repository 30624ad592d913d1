/// Alert configs: the channels over which a workspace is told of failures. The nouns, their SQL and
/// their routes.
@NullMarked
package dev.sluice.gateway.alertconfig;

import org.jspecify.annotations.NullMarked;
