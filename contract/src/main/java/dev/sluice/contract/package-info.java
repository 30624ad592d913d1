/// Reads the OpenAPI document, for whatever holds the server's answers against it: the server's
/// tests and the fuzzer. No part of the product.
@NullMarked
package dev.sluice.contract;

import org.jspecify.annotations.NullMarked;
