package dev.sluice.testkit;

import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/// Says at the end of a test run how many answers were held against `openapi.json`. Found by JUnit
/// as a service.
public final class ContractCount implements BeforeAllCallback {

    @Override
    public void beforeAll(ExtensionContext context) {
        context.getRoot()
                .getStore(ExtensionContext.Namespace.create(ContractCount.class))
                .computeIfAbsent("end", _ -> (AutoCloseable) ContractCount::print);
    }

    private static void print() {
        var contract = Contract.SHIPPED;
        if (contract.answers() > 0) {
            System.out.printf(
                    "contract: %d answers validated, %d of %d operations%n",
                    contract.answers(), contract.answered().size(), contract.operations().size());
        }
    }
}
