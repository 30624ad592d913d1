package dev.sluice.engine.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.Test;

import java.util.concurrent.CompletableFuture;

class ReceiptTest {

    /// An interrupted thread was never parked again, and used up a core until the deadline.
    @Test
    void an_interrupted_thread_waits_on_and_is_still_interrupted_afterwards() throws Exception {
        var made = new CompletableFuture<Receipt>();
        var answered = new CompletableFuture<Receipt.ReceiptState>();
        var isInterrupted = new CompletableFuture<Boolean>();
        var waiter =
                Thread.ofPlatform()
                        .start(() -> {
                            var receipt = new Receipt(Long.MAX_VALUE);
                            made.complete(receipt);
                            answered.complete(receipt.await());
                            isInterrupted.complete(Thread.currentThread().isInterrupted());
                        });
        var receipt = made.get();

        waiter.interrupt();

        await().until(() -> !waiter.isInterrupted() && waiter.getState() == Thread.State.WAITING);
        assertThat(answered).isNotDone();
        receipt.decide(Receipt.ReceiptState.STORED);
        assertThat(answered.get()).isEqualTo(Receipt.ReceiptState.STORED);
        assertThat(isInterrupted.get()).isTrue();
    }
}
