// The ways from the id of a delivery to its event.
import { render } from 'preact';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Route } from 'wouter';
import { queryClient } from '../src/api/queries';
import { DeliveryLink } from '../src/pages/events/DeliveryLink';
import { EventsPage } from '../src/pages/events/EventsPage';
import { draw, emptyPage } from './page';

vi.setConfig({ testTimeout: 30_000 });

const EVENT = '018f3c5e-7a04-7000-8000-000000004000';
const DELIVERY = '018f3c5e-7a04-7000-8000-000000004001';
const TIME = '2026-01-02T03:04:05.678Z';

const delivery = (id: string, name: string) => ({
  id, connection_id: `c-${name}`, destination_id: `d-${name}`, destination_name: name, status: 'succeeded', trigger: 'ingest', attempt_count: 1, next_attempt_at: null,
  created_at: TIME, finished_at: TIME, reason: 'Delivered: 200.',
  attempts: [{ attempt_number: 1, request_url: 'https://a.example/', response_status: 200, response_body: 'ok', error_code: null, error_message: null, latency_ms: 4, attempted_at: TIME }],
});
const event = {
  id: EVENT, source_id: 's', method: 'POST', received_at: TIME, expires_at: null, verification_status: 'skipped', verification_reason: null, content_type: 'text/plain', event_type: null, body: 'hi', body_size: 2,
  header_list: [], headers: {}, delivery_count: 2, delivered_count: 2, failed_count: 0, pending_count: 0, deliveries: [delivery(DELIVERY, 'Orders'), delivery(`${DELIVERY.slice(0, -1)}2`, 'Billing')],
};
const ANSWERS: Record<string, unknown> = {
  '/api/v1/events': { items: [event], total: 1 },
  [`/api/v1/events/${EVENT}`]: event,
  [`/api/v1/deliveries/${DELIVERY}`]: { ...event.deliveries[0], event_id: EVENT },
};

let root: HTMLElement;

beforeEach(() => {
  root = emptyPage();
  vi.stubGlobal('fetch', async (path: string) => new Response(JSON.stringify(ANSWERS[path.split('?')[0]!] ?? { items: [], total: 0 })));
});

afterEach(() => {
  render(null, root);
  vi.unstubAllGlobals();
});

function show(path: string) {
  return draw(
    root,
    path,
    <>
      <Route path="/events/:id?" component={EventsPage} />
      <Route path="/deliveries/:id" component={DeliveryLink} />
    </>,
  );
}

const marked = () =>
  vi.waitFor(() => {
    const rows = [...document.querySelectorAll('.dv [aria-current]')];
    if (rows.length !== 1) throw new Error(`${rows.length} marked deliveries`);
    return rows[0]!;
  }, 10_000);

it('the page of a delivery leads to its event, marks it there and shows its attempts', async () => {
  const { history } = show(`/deliveries/${DELIVERY}`);
  const row = await marked();
  expect(row.textContent).toContain('Orders');
  expect(row.querySelector('table')).not.toBeNull();
  expect(history).toEqual([`/events/${EVENT}?delivery=${DELIVERY}`]);
});

it('a search for the id of a delivery opens its event once, so that it can be closed', async () => {
  const { history } = show(`/events?q=${DELIVERY}`);
  expect((await marked()).textContent).toContain('Orders');
  expect(history.at(-1)).toBe(`/events/${EVENT}?q=${DELIVERY}`);
  document.querySelector<HTMLButtonElement>('.drawer button[aria-label=Close]')!.click();
  await vi.waitFor(() => expect(document.querySelector('.drawer')).toBeNull(), 10_000);
  await queryClient.invalidateQueries({ queryKey: ['events'] });
  expect(history.at(-1)).toBe(`/events?q=${DELIVERY}`);
});
