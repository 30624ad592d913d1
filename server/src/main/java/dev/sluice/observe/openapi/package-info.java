/// Serves the OpenAPI document to people, client generators and tests.
@NullMarked
package dev.sluice.observe.openapi;

import org.jspecify.annotations.NullMarked;
