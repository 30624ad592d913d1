package dev.sluice.engine.commit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.UUID;

/// A batch of delivery results: tells the [ResultListener] what became of each.
///
/// A result that is given up leaves its delivery's row in `delivery_work`, so the delivery is found
/// there and sent again.
final class ResultBatch implements GroupCommit.BatchType<DeliveryResult> {

    private static final Logger log = LoggerFactory.getLogger(ResultBatch.class);

    private static final int MAX_RESTING_RESULTS = 10_000;

    /// Set before the writer thread starts.
    private ResultListener listener = (_, _) -> {};

    void tell(ResultListener resultListener) {
        listener = resultListener;
    }

    /// True, because [ResultStore] ignores results that it has already written.
    @Override
    public boolean isRepeatable() {
        return true;
    }

    @Override
    public int maxResting() {
        return MAX_RESTING_RESULTS;
    }

    @Override
    public UUID id(DeliveryResult result) {
        return result.delivery().id().value();
    }

    @Override
    public boolean isRefused(DeliveryResult result) {
        return false;
    }

    @Override
    public void refuse(List<DeliveryResult> results) {
        givenUp(results);
    }

    @Override
    public void drop(DeliveryResult result) {
        givenUp(List.of(result));
    }

    /// Reports results to the listener. An exception from the listener cannot undo the commit, so
    /// it is only logged.
    @Override
    public void written(List<DeliveryResult> results, List<DeliveryResult> effective, long epoch) {
        try {
            listener.written(results, effective);
        } catch (RuntimeException e) {
            logCrash(results, e);
        }
    }

    @Override
    public void givenUp(List<DeliveryResult> results) {
        written(results, List.of(), 0);
    }

    @Override
    public DeliveryResult atRest(DeliveryResult result) {
        return result.withShortBody();
    }

    @Override
    public void logFailure(List<DeliveryResult> results, boolean isLookUp, Throwable cause) {
        log.atWarn()
                .addKeyValue("results", results.size())
                .setCause(cause)
                .log("results.commit_failed");
    }

    @Override
    public void logRefusal(List<DeliveryResult> results, boolean isDay, Throwable cause) {
        results.forEach(result ->
                log.atError()
                        .addKeyValue("delivery_id", result.delivery().id())
                        .setCause(cause)
                        .log("results.lost"));
    }

    static void logLost(DeliveryResult result) {
        log.atError().addKeyValue("delivery_id", result.delivery().id()).log("results.lost");
    }

    @Override
    public void logCrash(List<DeliveryResult> results, Throwable cause) {
        log.atError().addKeyValue("results", results.size()).setCause(cause).log("results.crashed");
    }
}
