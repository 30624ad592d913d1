/// Alert configs: the channels over which a workspace is notified of failures. Contains their
/// types, SQL and routes.
@NullMarked
package dev.sluice.gateway.alertconfig;

import org.jspecify.annotations.NullMarked;
