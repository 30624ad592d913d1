// The live view holds its rows still while somebody reads them, and follows several sources.
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { queryClient } from '../src/api/queries';
import type { Message } from '../src/pages/live/feed';
import { LivePage } from '../src/pages/live/LivePage';
import type { StreamState } from '../src/pages/live/stream';
import { draw, emptyPage } from './page';

type Listener = { onState: (state: StreamState) => void; onMessages: (messages: Message[]) => void };

const streams = vi.hoisted(() => [] as { source: string; listener: Listener }[]);
vi.mock('../src/pages/live/stream', () => ({
  follow: (source: string, listener: Listener) => {
    streams.push({ source, listener });
    return () => {};
  },
}));

let asked: string[];
let root: HTMLElement;

beforeEach(() => {
  asked = [];
  streams.length = 0;
  root = emptyPage();
  vi.stubGlobal('fetch', async (path: string) => {
    asked.push(path);
    const items = ['shop', 'bank'].map((id) => ({ id, name: `name of ${id}`, color: '#2563eb' }));
    return new Response(JSON.stringify({ items, total: 900 }));
  });
  draw(root, '/live', <LivePage />);
});

afterEach(() => {
  render(null, root);
  queryClient.clear();
  vi.useRealTimers();
});

const say = (change: (listener: Listener) => void) => act(() => change(streams.at(-1)!.listener));
const arrive = (id: string, more: object = {}) =>
  say(({ onMessages }) => onMessages([{ kind: 'event', event: { id, source_id: 'shop', method: 'POST', event_type: null, received_at: '2026-11-22T12:00:00Z', body_size: 1, ...more } as never }]));
const rows = () => root.querySelectorAll('tbody tr').length;
const status = () => root.querySelector('.views [role=status]')!.textContent;
const pill = () => root.querySelector<HTMLElement>('.newpill');

it('names an event as its sender does, and by its id where the sender gives no name', async () => {
  await say(({ onState }) => onState({ name: 'live' }));
  await arrive('1', { event_type: 'order.created' });
  await arrive('2', { event_type: 'order.changed', method: 'PUT' });
  await arrive('3');
  expect([...root.querySelectorAll('td.sum')].map((one) => one.textContent)).toEqual(['POST 3', 'PUT order.changed', 'order.created']);
});

it('holds the rows while one has the focus, and shows the others on request', async () => {
  await say(({ onState }) => onState({ name: 'live' }));
  await arrive('1');
  await act(() => root.querySelector<HTMLElement>('tbody a')!.focus());
  await arrive('2');
  expect(rows()).toBe(1);
  expect(status()).toBe('Paused while you read');
  expect(pill()!.textContent).toContain('1 new');
  await act(() => void pill()!.click());
  expect(rows()).toBe(2);
  expect(status()).toBe('Live');
});

it('holds the rows while they are scrolled or pointed at', async () => {
  await arrive('1');
  const list = root.querySelector<HTMLElement>('.list')!;
  const scroll = (to: number) =>
    act(() => {
      list.scrollTop = to;
      list.dispatchEvent(new Event('scroll'));
    });
  await scroll(40);
  await arrive('2');
  expect(rows()).toBe(1);
  await scroll(0);
  expect(rows()).toBe(2);
  await act(() => void root.querySelector('tbody td')!.dispatchEvent(new PointerEvent('pointermove', { bubbles: true, pointerType: 'mouse' })));
  await arrive('3');
  expect(rows()).toBe(2);
  await act(() => void list.dispatchEvent(new PointerEvent('pointerleave')));
  expect(rows()).toBe(3);
});

it('counts down to the next try', async () => {
  vi.useFakeTimers();
  await say(({ onState }) => onState({ name: 'reconnecting', retryAt: Date.now() + 4_000 }));
  expect(status()).toBe('Reconnecting, 4 s. Nothing is lost');
  await act(() => void vi.advanceTimersByTime(1_000));
  expect(status()).toBe('Reconnecting, 3 s. Nothing is lost');
});

it('follows several sources, which the server finds by name', async () => {
  await act(() => root.querySelector<HTMLElement>('.query .btn')!.click());
  const boxes = await vi.waitFor(() => {
    const found = [...root.querySelectorAll<HTMLInputElement>('.source-filter input[type=checkbox]')];
    if (found.length < 3) throw new Error('not there yet');
    return found;
  });
  await act(() => boxes[1]!.click());
  await act(() => boxes[2]!.click());
  expect(streams.map((one) => one.source)).toEqual(['', 'shop', 'shop,bank']);
  expect(root.querySelector('.query .btn')!.textContent).toBe('2 sources');
  const field = root.querySelector<HTMLInputElement>('.source-filter input[type=search]')!;
  await act(() => {
    field.value = 'ban';
    field.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await vi.waitFor(() => expect(asked).toContain('/api/v1/sources?q=ban&page=1&limit=50'));
});
