"""A journey with a client that openapi-generator makes for Python."""

import json
import sys
import time
import urllib.request
from uuid import UUID

sys.path.insert(0, "client")

import sluice_client as sluice

ORDER = '{"type":"order.paid","total":9}'


def same(expected, actual):
    assert expected == actual, f"expected {expected!r} but got {actual!r}"


def send(url):
    """Sends a webhook, as a sender does, and returns the event's id."""
    request = urllib.request.Request(url, ORDER.encode(), {"Content-Type": "application/json"}, method="PUT")
    with urllib.request.urlopen(request) as answer:
        return UUID(json.load(answer)["request_id"])


def journey(base_url, key, receiver):
    client = sluice.ApiClient(sluice.Configuration(host=base_url, access_token=key))
    sources, destinations, connections = sluice.SourcesApi(client), sluice.DestinationsApi(client), sluice.ConnectionsApi(client)
    events, replay, streams = sluice.EventsApi(client), sluice.ReplayApi(client), sluice.StreamsApi(client)

    # Create.
    source = sources.create_source(sluice.SourceCreate(name="Shop"))
    wanted = sluice.DestinationCreate(name="App", url=receiver, timeout_ms=4321, max_in_flight=7, custom_headers={"X-A": "b"})
    destination = destinations.create_destination(wanted)

    # A PATCH of one field changes nothing else.
    renamed = destinations.update_destination(destination.id, sluice.DestinationUpdate(name="Renamed"))
    same(["Renamed", 4321, 7, {"X-A": "b"}], [renamed.name, renamed.timeout_ms, renamed.max_in_flight, renamed.custom_headers])

    # A filter with a rule and a group, and a transformation, read back with their types.
    rules = sluice.FilterRulesInput(
        operator="and",
        rules=[
            sluice.FilterRuleOrGroupInput(path="body.type", op="in", value=["order.created", "order.paid"]),
            sluice.FilterRuleOrGroupInput(
                operator="or",
                rules=[sluice.FilterRuleInput(path="body.total", op="gt", value=5), sluice.FilterRuleInput(path="headers.X-Test", op="exists")],
            ),
        ],
    )
    transformation = sluice.TransformationInput(
        set_headers=[sluice.HeaderAssignmentInput(name="X-Event", value="{{event.id}}")], merge_body_fields={"seen": True}
    )
    link = sluice.ConnectionCreate(source_id=source.id, destination_id=destination.id, filter_rules=rules, transformation=transformation)
    connection = connections.create_connection(link)
    read = connections.get_connection(connection.id)
    same(["body.total", "X-Event"], [read.filter_rules.rules[1].rules[0].path, read.transformation.set_headers[0].name])
    again = connections.update_connection(connection.id, sluice.ConnectionUpdate(filter_rules=rules))
    same("{{event.id}}", again.transformation.set_headers[0].value)

    # A list, in pages.
    same(1, len(sources.list_sources(q="shop", page=1, limit=1).items))

    # A typed error. The client itself refuses an empty name and a URL without a host.
    try:
        destinations.create_destination(sluice.DestinationCreate(name="App", url="http://10.0.0.1/"))
        raise AssertionError("the destination should be refused")
    except sluice.exceptions.UnprocessableEntityException as refused:
        problem = refused.data.error
        same([422, "validation_failed", ["url"]], [refused.status, problem.code, [one.var_field for one in problem.details]])

    # A dry run, and a webhook with its delivery.
    preview = connections.preview_connection(sluice.PreviewRequest(connection_id=connection.id, sample=sluice.PreviewSample(body=ORDER)))
    same([True, 2, "POST"], [preview.passes, len(preview.rules), preview.request.method])
    event = events.get_event(send(base_url + source.ingest_path))
    same(["PUT", 1, ORDER], [event.method, len(event.deliveries), event.body])

    # Resends; the first one has no body.
    same(1, replay.resend_event(event.id).created)
    counted = replay.resend_deliveries(sluice.BulkResendRequest(connection_id=connection.id, dry_run=True))
    same([True, 0, 0], [counted.dry_run, counted.created, counted.would_create])
    deadline = time.monotonic() + 30
    while any(one.status != "succeeded" for one in events.get_event(event.id).deliveries):
        assert time.monotonic() < deadline, "the deliveries should succeed"
        time.sleep(0.05)
    resent = replay.resend_deliveries(sluice.BulkResendRequest(connection_id=connection.id, statuses=["succeeded"]))
    same([None, 1], [resent.dry_run, resent.created])

    # A stream.
    stream = streams.tail_source_without_preload_content(source.id, after=str(event.id))
    lines = (line.decode() for line in iter(stream.readline, b""))
    same("event: ready", next(line for line in lines if line.startswith("event:")).strip())
    stream.close()


journey(*sys.argv[1:])
print("done")
