package dev.sluice.testkit;

import org.junit.jupiter.api.Tag;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// Marks a test that `mvn verify` leaves to `mvn verify -Pnightly`, because it takes long and a
/// shorter one beside it finds the usual mistakes.
@Tag("nightly")
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface Nightly {}
