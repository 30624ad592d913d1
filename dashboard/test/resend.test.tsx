// Choosing where an event is sent again.
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { expect, it, vi } from 'vitest';
import { EventDrawer } from '../src/pages/events/EventDrawer';
import { draw, emptyPage } from './page';

const TIME = '2026-01-02T03:04:05.678Z';
const EVENT = {
  id: 'e', source_id: 's', method: 'POST', content_type: 'application/json', verification_status: 'skipped', verification_reason: null, body_size: 2, received_at: TIME, created_at: TIME,
  event_type: null, expires_at: null, headers: {}, header_list: [], body: '{}', deliveries: [],
};
const connection = (id: string, name: string, enabled: boolean) => ({ id, source_id: 's', destination: { name }, enabled });

it('offers every connection of the source, with those that have no delivery and those that are disabled', async () => {
  const sent: string[] = [];
  vi.stubGlobal('fetch', async (path: string, { method, body }: { method: string; body?: string }) => {
    if (method === 'POST') sent.push(`${path} ${body}`);
    const answers: Record<string, unknown> = {
      '/api/v1/events/e': EVENT,
      '/api/v1/sources/s/connections': { items: [connection('a', 'Orders', true), connection('b', 'Archive', false)], total: 2 },
      '/api/v1/events/e/resend': { created: 1 },
    };
    return new Response(JSON.stringify(answers[path.split('?')[0]!] ?? { items: [], total: 0 }));
  });
  const root = emptyPage();
  draw(root, '/events/e', <EventDrawer id="e" onClose={() => undefined} onStep={() => undefined} />);
  const click = async (selector: string, text: string) => {
    const one = await vi.waitFor(() => {
      const found = [...document.querySelectorAll<HTMLElement>(selector)].find((each) => each.textContent?.includes(text));
      if (found === undefined) throw new Error(`no ${text} in ${document.body.textContent}`);
      return found;
    }, 5_000);
    await act(() => one.click());
  };
  await click('button', 'Replay to my machine');
  expect(document.querySelector('dialog .code')!.textContent).toBe('sluice replay e --forward-to 3000/webhooks');
  await act(() => document.querySelector<HTMLElement>('dialog [aria-label="Close"]')!.click());
  await click('button', 'Resend');
  await click('[role=menuitem]', 'Choose connections');
  await click('.choices label', 'Archive');
  expect(document.querySelector('.choices')!.textContent).toBe('Ordersnot sent yetArchivenot sent yet, disabled');
  await click('dialog button', 'Resend to 1 connection');
  await vi.waitFor(() => expect(sent).toEqual(['/api/v1/events/e/resend {"connection_ids":["b"]}']));
  render(null, root);
  vi.unstubAllGlobals();
});
