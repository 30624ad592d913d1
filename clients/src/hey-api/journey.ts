// A journey with a generated client: what does not fit the document does not compile, and what does not fit the server throws.
import assert from 'node:assert/strict';
import { client } from './client/client.gen.js';
import * as api from './client/index.js';

const [baseUrl = '', key = '', receiver = ''] = process.argv.slice(2);
client.setConfig({ baseUrl, auth: () => key });
const throwOnError = true as const;

// Create; fields with defaults are not required.
const { data: source } = await api.createSource({ throwOnError, body: { name: 'Shop' } });
const { data: destination } = await api.createDestination({ throwOnError, body: { name: 'App', url: receiver, timeout_ms: 4321, max_in_flight: 7, custom_headers: { 'X-A': 'b' } } });

// A PATCH of one field changes nothing else.
const { data: renamed } = await api.updateDestination({ throwOnError, path: { id: destination.id }, body: { name: 'Renamed' } });
assert.deepEqual([renamed.name, renamed.timeout_ms, renamed.max_in_flight, renamed.custom_headers], ['Renamed', 4321, 7, { 'X-A': 'b' }]);

// A filter with a rule and a group, and a transformation, read back with their types.
const filter: api.FilterRulesInput = {
  operator: 'and',
  rules: [
    { path: 'body.type', op: 'in', value: ['order.created', 'order.paid'] },
    { operator: 'or', rules: [{ path: 'body.total', op: 'gt', value: 5 }, { path: 'headers.X-Test', op: 'exists' }] },
  ],
};
const { data: connection } = await api.createConnection({
  throwOnError,
  body: { source_id: source.id, destination_id: destination.id, filter_rules: filter, transformation: { set_headers: [{ name: 'X-Event', value: '{{event.id}}' }], merge_body_fields: { seen: true } } },
});
const { data: read } = await api.getConnection({ throwOnError, path: { id: connection.id } });
assert.equal(read.filter_rules?.rules[1]?.rules?.[0]?.path, 'body.total');
assert.equal(read.transformation?.set_headers?.[0]?.name, 'X-Event');
const { data: again } = await api.updateConnection({ throwOnError, path: { id: connection.id }, body: { filter_rules: filter, transformation: null } });
assert.equal(again.transformation, null);

// A list, in pages.
const { data: page } = await api.listSources({ throwOnError, query: { q: 'shop', page: 1, limit: 1 } });
assert.equal(page.items.length, 1);

// A typed error.
const refused = await api.createDestination({ body: { name: '', url: 'ftp://example.com/' } });
assert.equal(refused.response?.status, 422);
assert.equal(refused.error?.error.code, 'validation_failed');
assert.deepEqual(refused.error?.error.details?.map((one) => one.field).sort(), ['name', 'url']);

// A dry run, and a webhook with its delivery.
const order = '{"type":"order.paid","total":9}';
const { data: preview } = await api.previewConnection({ throwOnError, body: { connection_id: connection.id, sample: { body: order } } });
assert.deepEqual([preview.passes, preview.rules.map((one) => one.passes), preview.request?.method], [true, [true, true], 'POST']);
const sent = await fetch(baseUrl + source.ingest_path, { method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: order });
const accepted = (await sent.json()) as api.IngestAccepted;
const { data: event } = await api.getEvent({ throwOnError, path: { id: accepted.request_id } });
assert.deepEqual([event.method, event.deliveries.length, event.body], ['PUT', 1, order]);

// Resends: one schema whether something is made or only counted.
const { data: resent } = await api.resendEvent({ throwOnError, path: { id: event.id } });
assert.equal(resent.created, 1);
const { data: dryRun } = await api.resendDeliveries({ throwOnError, body: { connection_id: connection.id, dry_run: true } });
assert.deepEqual([dryRun.dry_run, dryRun.created, dryRun.would_create], [true, 0, 0]);
for (const deadline = Date.now() + 30_000; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
  const { data: now } = await api.getEvent({ throwOnError, path: { id: event.id } });
  if (now.deliveries.every((one) => one.status === 'succeeded')) break;
  assert.ok(Date.now() < deadline, 'the deliveries should succeed');
}
const { data: bulk } = await api.resendDeliveries({ throwOnError, body: { connection_id: connection.id, statuses: ['succeeded'] } });
assert.deepEqual([bulk.dry_run, bulk.created], [undefined, 1]);

// A stream: its first message.
let first: string | undefined;
const { stream } = await api.tailSource({ path: { id: source.id }, query: { after: event.id }, onSseEvent: (message) => (first ??= message.event) });
for await (const _ of stream) break;
assert.equal(first, 'ready');

console.log('done');
process.exit(0);
