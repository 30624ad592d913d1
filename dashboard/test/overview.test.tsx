// The overview says what needs attention with its cause, and shows its bars as a table too.
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, expect, it, vi } from 'vitest';
import { OverviewPage } from '../src/pages/overview/OverviewPage';
import { draw, emptyPage } from './page';

const hour = (back: number) => new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000 - back * 3_600_000).toISOString();
const refused = { '401': 0, '402': 0, '413': 0, '429': 0, '5xx': 0 };
const counts = { events: 90, verified: 0, unverified: 0, skipped: 90, deliveries: 90, succeeded: 88, failed: 1, exhausted: 1, pending: 0, filtered: 0, success_rate: 0.97, latency_ms: null, refused };
const source = (events: number) => ({ ...counts, source_id: 's', source_name: 'Shop', color: '#2563eb', events });
const window = { after: hour(23), before: hour(-1) };

it('names late deliveries, the plan, a broken channel and a silent source, and has a table of the bars', async () => {
  vi.stubGlobal('fetch', async (path: string) => {
    const url = new URL(path, 'http://a.example');
    const isPast = url.searchParams.has('received_before');
    const answers: Record<string, unknown> = {
      '/api/v1/stats/overview': { window, asked: window, bucket: 'hour', totals: isPast ? { ...counts, success_rate: 0.5 } : counts, waiting: { count: 3, oldest_received_at: hour(3), oldest_age_seconds: 9_000 }, histogram: [{ ...counts, start: hour(1) }, { ...counts, start: hour(0) }] },
      '/api/v1/stats/by-source': { window, asked: window, items: [source(isPast ? 40 : 0)], total: 1 },
      '/api/v1/stats/by-destination': { window, asked: window, items: [{ ...counts, destination_id: 'd', destination_name: 'Orders', deleted: false, waiting: { count: 3, oldest_received_at: hour(3), oldest_age_seconds: 9_000 } }], total: 1 },
      '/api/v1/usage': { period: { start: hour(100), end: hour(-100) }, events: { used: 900, limit: 1_000 } },
      '/api/v1/alert-configs': { items: [{ id: 'a', channel: 'email', config: { to: 'ops@example.com' }, enabled: true, last_error: 'The mail server refused it.' }] },
      '/api/v1/destinations/d': { id: 'd', name: 'Orders', circuit_state: 'closed', circuit_reopen_at: null },
    };
    return new Response(JSON.stringify(answers[url.pathname] ?? { items: [], total: 0, looked_at: 0, is_exact: true }));
  });
  const root = emptyPage();
  draw(root, '/', <OverviewPage />);
  const shown = (text: string) => vi.waitFor(() => expect(root.textContent).toContain(text), 5_000);
  await shown('Orders: 3 deliveries wait');
  await shown('The oldest came 2 h ago.');
  await shown('90 % of the plan’s events are used');
  await shown('Alerts by mail do not arrive');
  await shown('ops@example.com: The mail server refused it.');
  await shown('Shop: silent');
  await shown('50.0 % before');
  await act(() => [...root.querySelectorAll('button')].find((one) => one.textContent?.trim() === 'Table')!.click());
  expect(root.querySelectorAll('.hist-table tbody tr')).toHaveLength(2);
  render(null, root);
});

afterEach(() => vi.unstubAllGlobals());
