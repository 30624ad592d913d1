// The page of an event loads its payload apart from its deliveries, and draws what a delivery waits for.
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { EventDrawer } from '../src/pages/events/EventDrawer';
import { draw, emptyPage } from './page';

const TIME = '2026-01-02T03:04:05.678Z';
const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();
const base = {
  id: 'e', source_id: 's', method: 'POST', content_type: 'application/json', verification_status: 'skipped', verification_reason: null, body_size: 7, received_at: TIME, created_at: TIME,
  event_type: null, expires_at: null, reason: null, deliveries: [] as unknown[],
};
const delivery = { id: 'd', connection_id: 'c', destination_id: 'x', destination_name: 'Orders', status: 'pending', trigger: 'ingest', created_at: TIME, finished_at: null };

let event: typeof base;
let asked: string[];
let root: HTMLElement;

beforeEach(() => {
  event = { ...base };
  asked = [];
  root = emptyPage();
  vi.stubGlobal('fetch', async (path: string) => {
    const url = new URL(path, 'http://a.example');
    if (url.pathname === '/api/v1/events/e') asked.push(path);
    const payload = url.searchParams.get('payload') === 'false' ? { headers: null, header_list: null, body: null } : { headers: {}, header_list: [], body: '{"a":1}' };
    return new Response(JSON.stringify(url.pathname === '/api/v1/events/e' ? { ...event, ...payload } : { items: [], total: 0 }));
  });
  vi.stubGlobal('ResizeObserver', class {
    constructor(readonly act: (entries: unknown[]) => void) {}
    observe() {
      this.act([{ contentRect: { width: 600 } }]);
    }
    disconnect() {}
  });
});

afterEach(() => {
  render(null, root);
  vi.unstubAllGlobals();
});

function show() {
  draw(root, '/events/e', <EventDrawer id="e" onClose={() => undefined} onStep={() => undefined} />);
}

const shown = (text: string) => vi.waitFor(() => expect(root.textContent).toContain(text), 5_000);

it('reads the event without its payload, and then a small payload once', async () => {
  show();
  await shown('"a"');
  expect(asked).toEqual(['/api/v1/events/e?payload=false', '/api/v1/events/e']);
});

it('loads a body above 256 KiB only on request', async () => {
  event.body_size = 300_000;
  show();
  await shown('The body is');
  expect(asked).toEqual(['/api/v1/events/e?payload=false']);
  await act(() => [...root.querySelectorAll('button')].find((one) => one.textContent === 'Load it')!.click());
  await shown('"a"');
  expect(asked).toHaveLength(2);
});

it('counts down to the next attempt on the time axis', async () => {
  const attempt = { attempt_number: 1, request_url: 'https://a.example/', response_status: 503, response_body: null, error_code: 'http_status', error_message: null, latency_ms: 3, attempted_at: ago(20) };
  event.deliveries = [{ ...delivery, hold: null, attempt_count: 1, next_attempt_at: ago(-100), reason: 'Retry 1 of 5.', attempts: [attempt] }];
  show();
  await vi.waitFor(() => expect(root.querySelector('.axis.next')?.textContent).toMatch(/^2 in 1:(39|40)$/), 5_000);
  expect(root.querySelector('.hatch')).toBeNull();
});

it('hatches the time that an open circuit holds a delivery, also before its first attempt', async () => {
  event.deliveries = [{ ...delivery, created_at: ago(10), hold: 'circuit_open', attempt_count: 0, next_attempt_at: ago(-48), reason: 'Held: circuit open.', attempts: [] }];
  show();
  await vi.waitFor(() => expect(root.querySelector('.hatch')).not.toBeNull(), 5_000);
  expect(root.querySelector('.dv')!.textContent).toContain('Held');
});
