/// How each known sender with an HMAC signs its webhooks. Pure.
@NullMarked
package dev.sluice.engine.signature;

import org.jspecify.annotations.NullMarked;
