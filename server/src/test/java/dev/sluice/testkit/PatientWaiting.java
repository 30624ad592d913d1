package dev.sluice.testkit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import java.time.Duration;

/// Lets tests wait longer than Awaitility's ten seconds for what will happen, because the machine
/// may be busy with something else. A JUnit extension, found through `ServiceLoader`.
public final class PatientWaiting implements BeforeAllCallback {

    @Override
    public void beforeAll(ExtensionContext context) {
        Awaitility.setDefaultTimeout(Duration.ofSeconds(60));
    }
}
