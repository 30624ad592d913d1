/// The HTTP client for the management API.
@NullMarked
package dev.sluice.cli.server;

import org.jspecify.annotations.NullMarked;
