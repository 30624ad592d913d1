package dev.sluice.testkit;

import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/// Prints at the end of a test run how many answers were checked against `openapi.json`. A JUnit
/// extension, found through `ServiceLoader`.
public final class ContractReporter implements BeforeAllCallback {

    @Override
    public void beforeAll(ExtensionContext context) {
        context.getRoot()
                .getStore(ExtensionContext.Namespace.create(ContractReporter.class))
                .computeIfAbsent("end", _ -> (AutoCloseable) ContractReporter::print);
    }

    private static void print() {
        var contract = OpenApiContract.SHARED;
        if (contract.answerCount() > 0) {
            System.out.printf(
                    "contract: %d answers validated, %d of %d operations%n",
                    contract.answerCount(),
                    contract.coveredOperations().size(),
                    contract.document().operations().size());
        }
    }
}
