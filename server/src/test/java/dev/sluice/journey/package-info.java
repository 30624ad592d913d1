/// Tests of the whole server over HTTP: they send webhooks in and check what arrives.
@NullMarked
package dev.sluice.journey;

import org.jspecify.annotations.NullMarked;
