/// Serves the OpenAPI document.
@NullMarked
package dev.sluice.observe.openapi;

import org.jspecify.annotations.NullMarked;
