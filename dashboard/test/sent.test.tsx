// What an attempt sent: as the server answers it, masked as it answers it, and when it does not know.
import { render } from 'preact';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Schemas } from '../src/api/client';
import { type Event } from '../src/api/queries';
import { EventViewer } from '../src/pages/events/EventViewer';
import { draw, emptyPage } from './page';

vi.setConfig({ testTimeout: 30_000 });

const TIME = '2026-01-02T03:04:05.678Z';

const attempt = { attempt_number: 2, request_url: 'https://orders.example/', response_status: 503, response_body: null, error_code: 'http_status', error_message: null, latency_ms: 3, attempted_at: TIME };
const delivery = { id: 'd1', connection_id: 'c1', destination_id: 'x', destination_name: 'Orders', status: 'exhausted', attempts: [{ ...attempt, attempt_number: 1 }, attempt] } as unknown as Schemas['Delivery'];
const event = { id: 'e1', header_list: [{ name: 'X-Old', value: '1' }], body: '{"n":9007199254740993}', body_size: 22, content_type: 'application/json' } as unknown as Event;
const sent = { method: 'POST', url: 'https://orders.example/hooks?a=1', headers: [{ name: 'X-Service-Signature', value: '***' }], body: '{"n":9007199254740993,"added":1.0}', attempt_number: 2, attempted_at: TIME, was_sent: false };

let status: number;
let answer: unknown;
let asked: string[];
let root: HTMLElement;

beforeEach(() => {
  [status, answer, asked] = [200, sent, []];
  root = emptyPage();
  vi.stubGlobal('fetch', async (path: string) => {
    asked.push(path);
    return new Response(JSON.stringify(answer), { status });
  });
});

afterEach(() => {
  render(null, root);
  vi.unstubAllGlobals();
});

function show(path: string, deliveries = [delivery]) {
  draw(root, path, <EventViewer event={event} deliveries={deliveries} latest={deliveries} />);
}

const shown = (text: string) => vi.waitFor(() => expect(root.textContent).toContain(text), 10_000);

it('shows the request of the last attempt, with every digit', async () => {
  show('/events/e1?tab=sent');
  await shown('POST https://orders.example/hooks?a=1');
  expect(asked).toEqual(['/api/v1/deliveries/d1/attempts/2/request']);
  await shown('9007199254740993');
  await shown('1.0');
  await shown('ended before the first byte was sent');
});

it('says when it is not known whether the request was sent', async () => {
  answer = { ...sent, was_sent: null };
  show('/events/e1?tab=sent');
  await shown('it is not known how much of this was sent');
});

it('shows the attempt of the address', async () => {
  show('/events/e1?tab=sent&attempt=d1.1');
  await vi.waitFor(() => expect(asked).toEqual(['/api/v1/deliveries/d1/attempts/1/request']), 10_000);
});

it('says when it is not known what an attempt sent', async () => {
  [status, answer] = [409, { error: { code: 'conflict', message: 'An older version of Sluice made this attempt.' } }];
  show('/events/e1?tab=sent');
  await shown('What this attempt sent is not known');
  await shown('An older version of Sluice made this attempt.');
});

it('compares what came with what was sent', async () => {
  show('/events/e1?tab=diff');
  await shown('"added": 1.0');
  expect([...root.querySelectorAll('.del')].map((line) => line.textContent)).toContain('-X-Old: 1');
  expect([...root.querySelectorAll('.add')].map((line) => line.textContent)).toContain('+X-Service-Signature: ***');
});

it('says that nothing was sent yet', async () => {
  show('/events/e1?tab=sent', [{ ...delivery, attempts: [] }]);
  await shown('Nothing has been sent yet');
  expect(asked).toEqual([]);
});
