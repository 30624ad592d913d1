// What people try before they rely on it: a test delivery, a test event, and a verification that is not saved.
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Route } from 'wouter';
import { DestinationPage } from '../src/pages/destinations/DestinationPage';
import { SourcePage } from '../src/pages/sources/SourcePage';
import { draw, emptyPage } from './page';

vi.setConfig({ testTimeout: 30_000 });

const TIME = '2026-01-02T03:04:05.678Z';
const EVENT = '018f3c5e-7a04-7000-8000-000000004000';

const source = {
  id: 's', name: 'Shop', description: null, color: '#2563eb', token: 't', ingest_path: '/in/t', ingest_url: 'https://sluice.example.com/in/t', response_config: null, status: 'active', created_at: TIME, updated_at: TIME,
  verification_config: { provider: 'none' } as Record<string, unknown>,
};
const destination = {
  id: 'd', name: 'Orders', url: 'https://orders.example/', timeout_ms: 10_000, auth_config: { type: 'none' }, custom_headers: {}, secret_headers: [], retry_policy: { intervals_seconds: [30] },
  max_in_flight: 32, rate_limit: null, status: 'paused', circuit_state: 'closed', circuit_reopen_at: null, created_at: TIME, updated_at: TIME,
};
const connection = { id: 'c', source_id: 's', destination_id: 'd', enabled: true, filter_rules: null, transformation: null, destination, created_at: TIME, updated_at: TIME };
const test = {
  succeeded: false, event_id: EVENT, attempted_at: TIME, latency_ms: 84, error_code: 'http_status', error_message: 'Destination answered 503',
  request: { method: 'POST', url: 'https://orders.example/', headers: [{ name: 'X-Service-Signature', value: '***' }], body: '{"type":"test"}' },
  response: { status: 503, headers: [{ name: 'Retry-After', value: '60' }], body: 'maintenance' },
};

let answers: Record<string, unknown>;
let asked: [string, unknown][];
let root: HTMLElement;

beforeEach(() => {
  asked = [];
  answers = {
    'GET /api/v1/sources': { items: [source], total: 1 },
    'GET /api/v1/sources/s': source,
    'GET /api/v1/destinations/d': destination,
    'GET /api/v1/stats/overview': { waiting: { count: 3, oldest_age_seconds: 400 }, histogram: [] },
    'GET /api/v1/connections': { items: [connection] },
    'GET /api/v1/events': { items: [{ id: EVENT, received_at: TIME, verification_status: 'failed', verification_reason: 'No.', body_size: 2, delivered_count: 0, delivery_count: 0 }], total: 1 },
    'POST /api/v1/destinations/d/test': test,
    'POST /api/v1/sources/s/test-event': { event_id: EVENT, verification_status: 'skipped', verification_reason: null, response: { status: 200, content_type: null, body: '' } },
    'POST /api/v1/sources/s/verify': { event_id: EVENT, received_at: TIME, result: 'failed', message: 'Set provider to slack.' },
  };
  root = emptyPage();
  vi.stubGlobal('fetch', async (path: string, { method, body }: { method: string; body?: string }) => {
    const operation = `${method} ${path.split('?')[0]!}`;
    asked.push([operation, body === undefined ? undefined : JSON.parse(body)]);
    return new Response(JSON.stringify(answers[operation] ?? { items: [], total: 0 }));
  });
});

afterEach(() => {
  render(null, root);
  vi.unstubAllGlobals();
});

function show(path: string) {
  draw(
    root,
    path,
    <>
      <Route path="/destinations/:id/:tab?" component={DestinationPage} />
      <Route path="/sources/:id/:tab?" component={SourcePage} />
    </>,
  );
}

async function button(name: string): Promise<HTMLButtonElement> {
  return vi.waitFor(() => {
    const found = [...document.querySelectorAll('button')].find((one) => one.textContent === name && !one.disabled);
    if (found === undefined) throw new Error(`no button ${name} in ${document.body.textContent}`);
    return found;
  }, 10_000);
}

async function shown(text: string) {
  await vi.waitFor(() => expect(document.body.textContent).toContain(text), 10_000);
}

const bodies = (operation: string) => asked.filter(([one]) => one === operation).map(([, body]) => body);

it('sends a test delivery and shows what came back and what was sent', async () => {
  show('/destinations/d');
  (await button('Send test delivery')).click();
  await shown('A delivery would fail');
  expect(bodies('POST /api/v1/destinations/d/test')).toEqual([{}]);
  expect(document.body.textContent).toContain('Destination answered 503. After 84 ms.');
  expect(document.querySelector('pre.raw')?.textContent).toBe('HTTP/1.1 503\nRetry-After: 60\n\nmaintenance');
  (await button('Sent')).click();
  await shown('X-Service-Signature: ***');
});

it('sends the latest event of a source over its connection', async () => {
  answers['POST /api/v1/destinations/d/test'] = { ...test, succeeded: true, error_code: null, error_message: null, response: { status: 204, headers: [], body: '' } };
  show('/destinations/d');
  await shown('Latest event of Shop');
  const select = document.querySelector<HTMLSelectElement>('select[aria-label="What to send"]')!;
  select.value = 'latest:c';
  void act(() => {
    select.dispatchEvent(new Event('change', { bubbles: true }));
  });
  (await button('Send test delivery')).click();
  await shown('Delivered: 204 in 84 ms');
  expect(bodies('POST /api/v1/destinations/d/test')).toEqual([{ connection_id: 'c', event_id: EVENT }]);
});

it('lets the server make a test event', async () => {
  show('/sources/s');
  (await button('Send test event')).click();
  await vi.waitFor(() => expect(bodies('POST /api/v1/sources/s/test-event')).toHaveLength(1), 10_000);
  expect(bodies('POST /api/v1/sources/s/test-event')[0]).toHaveProperty('body');
});

it('sends a sample of the provider to a source that verifies', async () => {
  answers['GET /api/v1/sources/s'] = { ...source, verification_config: { provider: 'slack', secret: '***' } };
  show('/sources/s');
  (await button('Send test event')).click();
  await vi.waitFor(() => expect(bodies('POST /api/v1/sources/s/test-event')).toEqual([{}]), 10_000);
});

it('tests what is entered against the last event before it is saved', async () => {
  show('/sources/s/verification');
  await button('Test against the last event');
  void act(() => document.querySelector<HTMLInputElement>('input[value=provider_code_host]')!.click());
  const secret = await vi.waitFor(() => {
    const found = document.querySelector<HTMLInputElement>('input[name="verification_config.secret"]');
    if (found === null) throw new Error('no field');
    return found;
  }, 10_000);
  secret.value = 'topsecret';
  (await button('Test against the last event')).click();
  await shown('Set provider to slack.');
  expect(bodies('POST /api/v1/sources/s/verify')).toEqual([{ event_id: EVENT, verification_config: { provider: 'provider_code_host', secret: 'topsecret' } }]);
  expect(asked.some(([one]) => one.startsWith('PATCH'))).toBe(false);
});

it('judges by the saved settings while no secret is entered', async () => {
  answers['GET /api/v1/sources/s'] = { ...source, verification_config: { provider: 'slack', secret: '***' } };
  show('/sources/s/verification');
  (await button('Test against the last event')).click();
  await shown('It would be refused');
  expect(bodies('POST /api/v1/sources/s/verify')).toEqual([{ event_id: EVENT }]);
});
