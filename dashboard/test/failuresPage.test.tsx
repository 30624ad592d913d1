// The page of failures with a server that answers as the document's examples do.
import { render } from 'preact';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Route } from 'wouter';
import { FailuresPage } from '../src/pages/failures/FailuresPage';
import { ReplaysPage } from '../src/pages/replays/ReplaysPage';
import { Toaster } from '../src/ui/toast';
import { draw, emptyPage } from './page';

vi.setConfig({ testTimeout: 30_000 });

const GROUP = {
  destination_id: 'd', destination_name: 'Orders', error_code: 'http_status', response_status: 410, count: 12,
  first_seen: '2026-01-02T08:17:35.901Z', last_seen: '2026-01-02T09:40:11.250Z', example_delivery_id: 'x', example_event_id: 'e',
};
const REPLAY = {
  id: 'r', connection_id: null, connection_ids: ['a', 'b'], statuses: ['failed', 'exhausted'], error_code: 'http_status', response_status: 410, limit: null, per_second: 10,
  since: null, until: null, status: 'running', planned: 12, is_exact: true, created: 3, skipped: 0, reason: null,
  created_at: '2026-01-02T03:04:05.678Z', updated_at: '2026-01-02T03:04:05.678Z', finished_at: null,
};
const ANSWERS: Record<string, unknown> = {
  'GET /api/v1/dlq/groups': { items: [GROUP], total: 1, looked_at: 12, is_exact: true, resolved: false },
  'GET /api/v1/dlq': { items: [], total: 12 },
  'POST /api/v1/dlq/resend': { created: 12, would_create: 12, is_exact: true, replay_id: 'r' },
  'POST /api/v1/dlq/dismiss': { dismissed: 12, is_complete: true, next_cursor: null },
  'GET /api/v1/replays/{id}': REPLAY,
  'POST /api/v1/replays/{id}/pause': { ...REPLAY, status: 'paused' },
};

let asked: [string, unknown][];
let root: HTMLElement;

beforeEach(() => {
  asked = [];
  root = emptyPage();
  vi.stubGlobal('fetch', async (path: string, { method, body }: { method: string; body?: string }) => {
    const operation = `${method} ${path.split('?')[0]!.replace(/\/r(?=\/|$)/, '/{id}')}`;
    asked.push([`${method} ${path}`, body === undefined ? undefined : JSON.parse(body)]);
    const answer = ANSWERS[operation] ?? { items: [], total: 0 };
    return new Response(JSON.stringify(answer), { status: path.startsWith('/api/v1/events/') ? 404 : 200 });
  });
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
      <Route path="/failures" component={FailuresPage} />
      <Route path="/replays/:id?" component={ReplaysPage} />
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

const bodies = (operation: string) => asked.filter(([one]) => one === operation).map(([, body]) => body);
const CAUSE = { destination_id: 'd', error_code: 'http_status', response_status: 410 };

it('dismisses a group by its own filter, with the count before', async () => {
  show('/failures');
  (await button('Dismiss')).click();
  (await button('Dismiss 12 failed deliveries')).click();
  await vi.waitFor(() => expect(bodies('POST /api/v1/dlq/dismiss')).toEqual([CAUSE]), 10_000);
});

it('sends five first and shows their replay', async () => {
  show('/failures');
  (await button('Send five first')).click();
  await button('Send five more');
  expect(bodies('POST /api/v1/dlq/resend')).toContainEqual({ ...CAUSE, limit: 5 });
  await vi.waitFor(() => expect(document.querySelector('a[href="/replays/r"]')?.textContent).toBe('Open the replay'), 10_000);
});

it('sends the whole list after its count, at a rate, and leads to the replay', async () => {
  const location = show('/failures?source=s');
  (await button('Send all groups')).click();
  await button('Send 12 deliveries');
  expect(bodies('POST /api/v1/dlq/resend')).toContainEqual({ source_id: 's', dry_run: true });
  document.querySelector<HTMLInputElement>('input[name=per_second]')!.value = '10';
  (await button('Send 12 deliveries')).click();
  await vi.waitFor(() => expect(location.history.at(-1)).toBe('/replays/r'), 10_000);
  expect(bodies('POST /api/v1/dlq/resend')).toContainEqual({ source_id: 's', per_second: 10 });
  (await button('Pause')).click();
  await vi.waitFor(() => expect(bodies('POST /api/v1/replays/r/pause')).toHaveLength(1), 10_000);
  expect(document.body.textContent).toContain('2 connections');
});

it('looks past what is resolved until it finds a group', async () => {
  const answered = fetch;
  const empty = { items: [], total: 0, looked_at: 5_000, is_exact: false, next_cursor: 'older', resolved: false };
  vi.stubGlobal('fetch', (path: string, init: { method: string }) =>
    path.startsWith('/api/v1/dlq/groups') && !path.includes('cursor=older') ? Promise.resolve(new Response(JSON.stringify(empty))) : answered(path, init),
  );
  show('/failures');
  await button('Send five first');
});

it('does not say that nothing is unresolved when it has not looked at all', async () => {
  const empty = { items: [], total: 0, looked_at: 5_000, is_exact: false, next_cursor: 'older', resolved: false };
  vi.stubGlobal('fetch', (path: string) => Promise.resolve(new Response(JSON.stringify(path.startsWith('/api/v1/dlq/groups') ? empty : { items: [], total: 0 }))));
  show('/failures');
  await vi.waitFor(() => expect(document.body.textContent).toContain('None of the newest 5'), 10_000);
  expect(document.body.textContent).not.toContain('Nothing is unresolved');
});

it('asks for what is resolved when the address says so', async () => {
  show('/failures?resolved=true');
  await button('Undo all dismissals');
  expect(asked.some(([one]) => one.startsWith('GET /api/v1/dlq/groups?') && one.includes('resolved=true'))).toBe(true);
  expect(document.body.textContent).not.toContain('Send five first');
});

it('lists, counts and dismisses what the filters in the address select', async () => {
  show('/failures?destination=d&status=exhausted&after=24h');
  (await button('Dismiss all groups')).click();
  (await button('Dismiss 12 failed deliveries')).click();
  await vi.waitFor(() => expect(bodies('POST /api/v1/dlq/dismiss')).toHaveLength(1), 10_000);
  const [body] = bodies('POST /api/v1/dlq/dismiss') as [{ received_after: string }];
  expect(body).toEqual({ destination_id: 'd', status: ['exhausted'], received_after: expect.any(String) });
  const listed = asked.map(([one]) => new URL(one.slice('GET '.length), 'http://a.example')).find((one) => one.pathname === '/api/v1/dlq/groups');
  expect(Object.fromEntries(listed!.searchParams)).toMatchObject({ destination_id: 'd', status: 'exhausted', received_after: body.received_after });
});

it('says on the page that an undone dismissal failed', async () => {
  document.body.innerHTML += '<div id="toasts"></div>';
  render(<Toaster />, document.getElementById('toasts')!);
  root = document.getElementById('app')!;
  show('/failures');
  (await button('Dismiss')).click();
  (await button('Dismiss 12 failed deliveries')).click();
  await vi.waitFor(() => expect(document.querySelector('dialog')).toBeNull(), 10_000);
  vi.stubGlobal('fetch', async () => new Response('{"error":{"code":"unavailable","message":"The database did not answer."}}', { status: 503 }));
  // Toasts of the tests before may still be there.
  [...document.querySelectorAll<HTMLButtonElement>('.toast button')].at(-1)!.click();
  await vi.waitFor(() => expect(root.querySelector('[role=alert]')?.textContent).toContain('The database did not answer.'), 10_000);
  expect(root.textContent).toContain('still dismissed');
});
