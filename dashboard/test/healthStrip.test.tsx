// The strip of a destination's latest deliveries.
import { render } from 'preact';
import { expect, it } from 'vitest';
import { HealthStrip } from '../src/pages/destinations/LatestDeliveries';
import { draw, emptyPage } from './page';

const TIME = '2026-01-02T03:04:05.678Z';
const item = (id: string, status: string, latency: number | null, hold: string | null = null) => ({
  id, event_id: 'e', source_id: 's', connection_id: 'c', destination_id: 'd', destination_name: 'Orders', status, trigger: 'ingest', attempt_count: latency === null ? 0 : 1, next_attempt_at: null,
  hold, last_error: null, last_error_code: null, last_response_status: null, last_latency_ms: latency, reason: `Reason of ${id}.`, received_at: TIME, created_at: TIME, finished_at: TIME,
});

it('shows each delivery with its outcome and its latency, the newest on the right, and says both in words', () => {
  const root = emptyPage();
  const items = [item('new', 'pending', null, 'circuit_open'), item('slow', 'failed', 10_000), item('waiting', 'pending', null), item('fast', 'succeeded', 84)];
  draw(root, '/destinations/d', <HealthStrip items={items as never} timeout={10_000} />);
  const ticks = [...root.querySelectorAll<HTMLElement>('.health i')];
  expect(ticks.map((one) => one.className)).toEqual(['h-delivered', 'h-retrying', 'h-failed', 'h-held']);
  expect(ticks.map((one) => one.style.height)).toEqual(['48%', '20%', '100%', '100%']);
  expect(ticks[0]!.title).toContain(', 84 ms: Reason of fast.');
  expect(root.querySelector('.health')!.getAttribute('aria-label')).toBe(
    'The last 4 deliveries, the newest on the right: 1 failed, 1 held, 1 waiting, 1 delivered. Their last attempts took 84 ms in the middle, 10.0 s at most',
  );
  render(null, root);
});
