/// Reads the OpenAPI document and checks the server's responses against it. The server's tests and
/// the fuzzer use it; it is not part of the product.
@NullMarked
package dev.sluice.contract;

import org.jspecify.annotations.NullMarked;
