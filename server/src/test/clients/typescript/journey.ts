// A journey with a generated client: what does not fit the document does not compile, and what does not fit the server throws.
import assert from 'node:assert/strict';
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.js';

const [baseUrl = '', key = '', receiver = ''] = process.argv.slice(2);
const api = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });

function ok<T>(answer: { data?: T; error?: unknown; response: Response }): T {
  assert.ok(answer.data !== undefined, `${answer.response.status} ${JSON.stringify(answer.error)}`);
  return answer.data;
}

// Create; fields with defaults are not required.
const source = ok(await api.POST('/api/v1/sources', { body: { name: 'Shop' } }));
const destination = ok(await api.POST('/api/v1/destinations', { body: { name: 'App', url: receiver, timeout_ms: 4321, max_in_flight: 7, custom_headers: { 'X-A': 'b' } } }));

// A PATCH of one field changes nothing else.
const renamed = ok(await api.PATCH('/api/v1/destinations/{id}', { params: { path: { id: destination.id } }, body: { name: 'Renamed' } }));
assert.deepEqual([renamed.name, renamed.timeout_ms, renamed.max_in_flight, renamed.custom_headers], ['Renamed', 4321, 7, { 'X-A': 'b' }]);

// A filter with a rule and a group, and a transformation, read back with their types.
const filter: components['schemas']['FilterRulesInput'] = {
  operator: 'and',
  rules: [
    { path: 'body.type', op: 'in', value: ['order.created', 'order.paid'] },
    { operator: 'or', rules: [{ path: 'body.total', op: 'gt', value: 5 }, { path: 'headers.X-Test', op: 'exists' }] },
  ],
};
const connection = ok(
  await api.POST('/api/v1/connections', {
    body: { source_id: source.id, destination_id: destination.id, filter_rules: filter, transformation: { set_headers: [{ name: 'X-Event', value: '{{event.id}}' }], merge_body_fields: { seen: true } } },
  }),
);
const read = ok(await api.GET('/api/v1/connections/{id}', { params: { path: { id: connection.id } } }));
assert.equal(read.filter_rules?.rules[1]?.rules?.[0]?.path, 'body.total');
assert.equal(read.transformation?.set_headers?.[0]?.name, 'X-Event');
// What was read can be sent back.
const again = ok(await api.PATCH('/api/v1/connections/{id}', { params: { path: { id: connection.id } }, body: { filter_rules: filter, transformation: null } }));
assert.equal(again.transformation, null);

// Lists, in pages.
const page = ok(await api.GET('/api/v1/sources', { params: { query: { q: 'shop', page: 1, limit: 1 } } }));
assert.deepEqual([page.items.length, page.total], [1, 1]);

// A typed error.
const refused = await api.POST('/api/v1/destinations', { body: { name: '', url: 'ftp://example.com/' } });
assert.equal(refused.response.status, 422);
assert.equal(refused.error?.error.code, 'validation_failed');
assert.deepEqual(refused.error?.error.details?.map((one) => one.field).sort(), ['name', 'url']);

// A preview, and a webhook with its delivery.
const preview = ok(await api.POST('/api/v1/connections/preview', { body: { connection_id: connection.id, sample: { body: '{"type":"order.paid","total":9}' } } }));
assert.deepEqual([preview.passes, preview.rules.map((one) => one.passes), preview.request?.method], [true, [true, true], 'POST']);
const sent = await fetch(baseUrl + source.ingest_path, { method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: '{"type":"order.paid","total":9}' });
const accepted = (await sent.json()) as components['schemas']['IngestAccepted'];
const event = ok(await api.GET('/api/v1/events/{id}', { params: { path: { id: accepted.request_id } } }));
assert.deepEqual([event.method, event.deliveries.length, event.body], ['PUT', 1, '{"type":"order.paid","total":9}']);

// Resends: one schema whether something is made or only counted.
const resent = ok(await api.POST('/api/v1/events/{id}/resend', { params: { path: { id: event.id } }, body: { connection_ids: null } }));
assert.equal(resent.created, 1);
const dryRun = ok(await api.POST('/api/v1/deliveries/resend-bulk', { body: { connection_id: connection.id, statuses: [], dry_run: true } }));
assert.deepEqual([dryRun.dry_run, dryRun.created, dryRun.would_create], [true, 0, 0]);
for (const deadline = Date.now() + 30_000; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
  const now = ok(await api.GET('/api/v1/events/{id}', { params: { path: { id: event.id } } }));
  if (now.deliveries.every((one) => one.status === 'succeeded')) break;
  assert.ok(Date.now() < deadline, 'the deliveries should succeed');
}
const bulk = ok(await api.POST('/api/v1/deliveries/resend-bulk', { body: { connection_id: connection.id, statuses: ['succeeded'] } }));
assert.deepEqual([bulk.dry_run, bulk.created], [undefined, 1]);

// A stream: its first message.
const stream = await api.GET('/api/v1/sources/{id}/tail', { params: { path: { id: source.id }, query: { after: event.id } }, parseAs: 'stream', headers: { Accept: 'text/event-stream' } });
assert.equal(stream.response.headers.get('content-type')?.split(';')[0], 'text/event-stream');
assert.ok(stream.data, 'the stream should have a body');
const messages = stream.data.getReader();
let heard = '';
for (const decoder = new TextDecoder(); !/^event:.*\n/m.test(heard); ) {
  const { done, value } = await messages.read();
  assert.ok(!done, `the stream ended after ${heard}`);
  heard += decoder.decode(value, { stream: true });
}
assert.equal(/^event:.*/m.exec(heard)?.[0], 'event: ready');
await messages.cancel();

console.log('done');
