import dev.sluice.client.ApiClient;
import dev.sluice.client.ApiException;
import dev.sluice.client.api.ConnectionsApi;
import dev.sluice.client.api.DestinationsApi;
import dev.sluice.client.api.EventsApi;
import dev.sluice.client.api.ReplayApi;
import dev.sluice.client.api.SourcesApi;
import dev.sluice.client.model.BulkResendRequest;
import dev.sluice.client.model.ConnectionCreate;
import dev.sluice.client.model.ConnectionUpdate;
import dev.sluice.client.model.DestinationCreate;
import dev.sluice.client.model.DestinationUpdate;
import dev.sluice.client.model.FieldError;
import dev.sluice.client.model.FilterRuleInput;
import dev.sluice.client.model.FilterRuleOrGroupInput;
import dev.sluice.client.model.FilterRulesInput;
import dev.sluice.client.model.HeaderAssignmentInput;
import dev.sluice.client.model.PreviewRequest;
import dev.sluice.client.model.PreviewSample;
import dev.sluice.client.model.ReplayableStatus;
import dev.sluice.client.model.SourceCreate;
import dev.sluice.client.model.TransformationInput;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Pattern;

/// The journey of a Java client. `Library` has what differs between the generator's libraries.
final class Journey {

    private static final String ORDER = "{\"type\":\"order.paid\",\"total\":9}";
    private static final Pattern REQUEST_ID = Pattern.compile("\"request_id\":\"([^\"]+)\"");

    private Journey() {}

    /// @param args the server's URL, an API key and the URL of a receiver
    public static void main(String[] args) throws Exception {
        ApiClient client = Library.client(args[0], args[1]);
        var sources = new SourcesApi(client);
        var destinations = new DestinationsApi(client);
        var connections = new ConnectionsApi(client);
        var events = new EventsApi(client);
        var replay = new ReplayApi(client);

        // Create.
        var source = sources.createSource(new SourceCreate().name("Shop"), null);
        var destination =
                destinations.createDestination(
                        new DestinationCreate()
                                .name("App")
                                .url(args[2])
                                .timeoutMs(4321)
                                .maxInFlight(7)
                                .putCustomHeadersItem("X-A", "b"),
                        null);

        // A PATCH of one field changes nothing else.
        var renamed =
                destinations.updateDestination(
                        destination.getId(), new DestinationUpdate().name("Renamed"), null);
        same("Renamed", renamed.getName());
        same(4321, renamed.getTimeoutMs());
        same(7, renamed.getMaxInFlight());
        same(Map.of("X-A", "b"), renamed.getCustomHeaders());

        // A filter with a rule and a group, and a transformation, read back with their types.
        var connection =
                connections.createConnection(
                        new ConnectionCreate()
                                .sourceId(source.getId())
                                .destinationId(destination.getId())
                                .filterRules(filter())
                                .transformation(
                                        new TransformationInput()
                                                .addSetHeadersItem(
                                                        new HeaderAssignmentInput()
                                                                .name("X-Event")
                                                                .value("{{event.id}}"))
                                                .putMergeBodyFieldsItem("seen", true)),
                        null);
        var read = connections.getConnection(connection.getId());
        same("body.total", read.getFilterRules().getRules().get(1).getRules().get(0).getPath());
        same("X-Event", read.getTransformation().getSetHeaders().get(0).getName());
        var again =
                connections.updateConnection(
                        connection.getId(), new ConnectionUpdate().filterRules(filter()), null);
        same("{{event.id}}", again.getTransformation().getSetHeaders().get(0).getValue());

        // A list, in pages.
        var page = sources.listSources("shop", 1, 1);
        same(1, page.getItems().size());

        // A typed error.
        try {
            destinations.createDestination(
                    new DestinationCreate().name("").url("ftp://example.com/"), null);
            throw new AssertionError("the destination should be refused");
        } catch (ApiException e) {
            var error = Library.error(client, e.getResponseBody()).getError();
            same(422, e.getCode());
            same("validation_failed", error.getCode().getValue());
            same(
                    List.of("name", "url"),
                    error.getDetails().stream().map(FieldError::getField).sorted().toList());
        }

        // A dry run, and a webhook with its delivery.
        var preview =
                connections.previewConnection(
                        new PreviewRequest()
                                .connectionId(connection.getId())
                                .sample(new PreviewSample().body(ORDER)));
        same(true, preview.getPasses());
        same(2, preview.getRules().size());
        same("POST", preview.getRequest().getMethod().getValue());
        var event = events.getEvent(send(args[0] + source.getIngestPath()), null);
        same("PUT", event.getMethod().getValue());
        same(1, event.getDeliveries().size());
        same(ORDER, event.getBody());

        // Resends.
        same(1, replay.resendEvent(event.getId(), null, null).getCreated());
        var bulk = new BulkResendRequest().connectionId(connection.getId());
        var counted = replay.resendDeliveries(bulk.dryRun(true), null);
        same(true, counted.getDryRun());
        same(0, counted.getCreated());
        same(0, counted.getWouldCreate());
        awaitDeliveries(events, event.getId());
        bulk.dryRun(null).statuses(List.of(ReplayableStatus.SUCCEEDED));
        var resent = replay.resendDeliveries(bulk, null);
        same(null, resent.getDryRun());
        same(1, resent.getCreated());

        // A stream.
        same(
                "event: ready",
                Library.firstEvent(args[0], args[1], source.getId(), event.getId().toString()));
        System.out.println("done");
        System.exit(0); // OkHttp's threads would go on for a minute
    }

    private static FilterRulesInput filter() {
        return new FilterRulesInput()
                .operator(FilterRulesInput.OperatorEnum.AND)
                .addRulesItem(
                        new FilterRuleOrGroupInput()
                                .path("body.type")
                                .op(FilterRuleOrGroupInput.OpEnum.IN)
                                .value(List.of("order.created", "order.paid")))
                .addRulesItem(
                        new FilterRuleOrGroupInput()
                                .operator(FilterRuleOrGroupInput.OperatorEnum.OR)
                                .addRulesItem(
                                        new FilterRuleInput()
                                                .path("body.total")
                                                .op(FilterRuleInput.OpEnum.GT)
                                                .value(5))
                                .addRulesItem(
                                        new FilterRuleInput()
                                                .path("headers.X-Test")
                                                .op(FilterRuleInput.OpEnum.EXISTS)
                                                .value(true)));
    }

    /// Waits until all deliveries of an event have succeeded, at most 30 s.
    private static void awaitDeliveries(EventsApi events, UUID id) throws Exception {
        long deadline = System.nanoTime() + 30_000_000_000L;
        while (!events.getEvent(id, null).getDeliveries().stream()
                .allMatch(delivery -> delivery.getStatus().getValue().equals("succeeded"))) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("the deliveries should succeed");
            }
            Thread.sleep(50);
        }
    }

    /// Sends a webhook, as a sender does, and returns the event's id.
    private static UUID send(String url) throws Exception {
        var request =
                HttpRequest.newBuilder(URI.create(url))
                        .header("Content-Type", "application/json")
                        .PUT(BodyPublishers.ofString(ORDER))
                        .build();
        try (var http = HttpClient.newHttpClient()) {
            var found = REQUEST_ID.matcher(http.send(request, BodyHandlers.ofString()).body());
            if (!found.find()) {
                throw new AssertionError("the webhook was refused");
            }
            return UUID.fromString(found.group(1));
        }
    }

    private static void same(Object expected, Object actual) {
        if (!Objects.equals(expected, actual)) {
            throw new AssertionError("expected " + expected + " but got " + actual);
        }
    }
}
