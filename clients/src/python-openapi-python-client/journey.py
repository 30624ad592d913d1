"""A journey with a client that openapi-python-client makes."""

import sys
import time

from client import AuthenticatedClient, models
from client.api.connections import create_connection, get_connection, preview_connection, update_connection
from client.api.destinations import create_destination, update_destination
from client.api.events import get_event
from client.api.ingest import send_webhook_by_put
from client.api.replay import resend_deliveries, resend_event
from client.api.sources import create_source, list_sources
from client.api.streams import tail_source
from client.types import UNSET, File

ORDER = '{"type":"order.paid","total":9}'


def same(expected, actual):
    assert expected == actual, f"expected {expected!r} but got {actual!r}"


def made(answer, kind):
    assert isinstance(answer, kind), f"expected {kind.__name__} but got {answer!r}"
    return answer


def journey(base_url, key, receiver):
    api = AuthenticatedClient(base_url=base_url, token=key)

    # Create.
    source = made(create_source.sync(client=api, body=models.SourceCreate(name="Shop")), models.Source)
    headers = models.CustomHeadersInput.from_dict({"X-A": "b"})
    wanted = models.DestinationCreate(name="App", url=receiver, timeout_ms=4321, max_in_flight=7, custom_headers=headers)
    destination = made(create_destination.sync(client=api, body=wanted), models.Destination)

    # A PATCH of one field changes nothing else.
    renamed = made(update_destination.sync(destination.id, client=api, body=models.DestinationUpdate(name="Renamed")), models.Destination)
    same(["Renamed", 4321, 7, {"X-A": "b"}], [renamed.name, renamed.timeout_ms, renamed.max_in_flight, renamed.custom_headers.to_dict()])

    # A filter with a rule and a group, and a transformation, read back with their types.
    rules = models.FilterRulesInput.from_dict({
        "operator": "and",
        "rules": [
            {"path": "body.type", "op": "in", "value": ["order.created", "order.paid"]},
            {"operator": "or", "rules": [{"path": "body.total", "op": "gt", "value": 5}, {"path": "headers.X-Test", "op": "exists"}]},
        ],
    })
    transformation = models.TransformationInput(
        set_headers=[models.HeaderAssignmentInput(name="X-Event", value="{{event.id}}")],
        merge_body_fields=models.TransformationInputMergeBodyFields.from_dict({"seen": True}),
    )
    link = models.ConnectionCreate(source_id=source.id, destination_id=destination.id, filter_rules=rules, transformation=transformation)
    connection = made(create_connection.sync(client=api, body=link), models.Connection)
    read = made(get_connection.sync(connection.id, client=api), models.Connection)
    same(["body.total", "X-Event"], [read.filter_rules.rules[1].rules[0].path, read.transformation.set_headers[0].name])
    again = made(update_connection.sync(connection.id, client=api, body=models.ConnectionUpdate(filter_rules=rules)), models.Connection)
    same("{{event.id}}", again.transformation.set_headers[0].value)

    # A list, in pages.
    page = made(list_sources.sync(client=api, q="shop", page=1, limit=1), models.SourcePage)
    same(1, len(page.items))

    # A typed error.
    refused = create_destination.sync_detailed(client=api, body=models.DestinationCreate(name="", url="ftp://example.com/"))
    problem = made(refused.parsed, models.Error).error
    same([422, "validation_failed", ["name", "url"]], [refused.status_code, problem.code, sorted(one.field for one in problem.details)])

    # A dry run, and a webhook with its delivery.
    trial = models.PreviewRequest(connection_id=connection.id, sample=models.PreviewSample(body=ORDER))
    preview = made(preview_connection.sync(client=api, body=trial), models.Preview)
    same([True, 2, "POST"], [preview.passes, len(preview.rules), preview.request.method])
    accepted = made(send_webhook_by_put.sync(source.token, client=api, body=File(payload=ORDER.encode())), models.IngestAccepted)
    event = made(get_event.sync(accepted.request_id, client=api), models.Event)
    same(["PUT", 1, ORDER], [event.method, len(event.deliveries), event.body])

    # Resends; the first one has no body.
    same(1, made(resend_event.sync(event.id, client=api), models.Resent).created)
    counted = made(resend_deliveries.sync(client=api, body=models.BulkResendRequest(connection_id=connection.id, dry_run=True)), models.BulkResent)
    same([True, 0, 0], [counted.dry_run, counted.created, counted.would_create])
    deadline = time.monotonic() + 30
    while any(one.status != "succeeded" for one in made(get_event.sync(event.id, client=api), models.Event).deliveries):
        assert time.monotonic() < deadline, "the deliveries should succeed"
        time.sleep(0.05)
    again = models.BulkResendRequest.from_dict({"connection_id": str(connection.id), "statuses": ["succeeded"]})
    resent = made(resend_deliveries.sync(client=api, body=again), models.BulkResent)
    same([UNSET, 1], [resent.dry_run, resent.created])

    # A stream. The generated function reads an answer to its end, so its request is sent by hand.
    with api.get_httpx_client().stream(**tail_source._get_kwargs(source.id, after=str(event.id))) as stream:
        same("event: ready", next(line for line in stream.iter_lines() if line.startswith("event:")))


journey(*sys.argv[1:])
print("done")
