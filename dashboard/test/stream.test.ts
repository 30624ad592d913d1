import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Message } from '../src/pages/live/feed';
import { follow, type StreamState } from '../src/pages/live/stream';

/** The browser's side of a stream: what it opened, and messages by hand. happy-dom has no EventSource. */
class HandSource extends EventTarget {
  static readonly OPEN = 1;
  static readonly CLOSED = 2;
  static opened: HandSource[] = [];
  readyState = 1;

  constructor(readonly url: string) {
    super();
    HandSource.opened.push(this);
  }

  say(name: string, data: unknown, lastEventId = '') {
    this.dispatchEvent(new MessageEvent(name, { data: JSON.stringify(data), lastEventId }));
  }

  fail(readyState: number) {
    this.readyState = readyState;
    this.dispatchEvent(new Event('error'));
  }

  close() {
    this.readyState = HandSource.CLOSED;
  }
}

describe('the stream of the live view', () => {
  let states: StreamState[];
  let messages: Message[];
  let stop: () => void;
  let answer: () => Response;
  const accessEnded = vi.fn();
  const last = () => HandSource.opened.at(-1) as HandSource;
  const after = () => new URL(last().url, 'http://localhost').searchParams.get('after');

  beforeEach(() => {
    vi.useFakeTimers();
    HandSource.opened = [];
    states = [];
    messages = [];
    accessEnded.mockClear();
    answer = () => new Response('');
    vi.stubGlobal('EventSource', HandSource);
    vi.stubGlobal('fetch', () => Promise.resolve(answer()));
    vi.stubGlobal('requestAnimationFrame', (act: () => void) => setTimeout(act, 16));
    vi.stubGlobal('cancelAnimationFrame', clearTimeout);
    stop = follow('', { onState: (one) => states.push(one), onMessages: (some) => messages.push(...some), onAccessEnded: accessEnded });
  });

  afterEach(() => {
    stop();
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });

  it('hands on what came within a frame at once', () => {
    last().say('ready', { resumed: false }, 'a');
    last().say('event', { id: '1' }, 'b');
    last().say('event', { id: '2' }, 'c');
    expect(messages).toEqual([]);
    vi.advanceTimersByTime(20);
    expect(messages).toHaveLength(2);
    expect(states.at(-1)).toEqual({ name: 'live' });
  });

  it('says when it reconnects, and goes on after the last message', () => {
    last().say('ready', { resumed: false }, 'a');
    last().say('event', { id: '1' }, 'b');
    last().fail(0);
    expect(states.at(-1)).toEqual({ name: 'reconnecting', retryAt: Date.now() + 2_000 });
    vi.advanceTimersByTime(1_900);
    expect(HandSource.opened).toHaveLength(1);
    vi.advanceTimersByTime(100);
    expect(HandSource.opened).toHaveLength(2);
    expect(after()).toBe('b');
  });

  it('takes 35 silent seconds as a lost connection, and heartbeats as a sign of life', () => {
    expect(new URL(last().url, 'http://localhost').searchParams.get('ping')).toBe('true');
    last().say('ready', { resumed: false }, 'a');
    for (let i = 0; i < 4; i++) {
      vi.advanceTimersByTime(30_000);
      last().say('ping', {}, `p${i}`);
    }
    expect(states.at(-1)).toEqual({ name: 'live' });
    const silent = last();
    vi.advanceTimersByTime(36_100);
    expect(states.at(-1)?.name).toBe('reconnecting');
    expect(silent.readyState).toBe(HandSource.CLOSED);
    vi.advanceTimersByTime(2_000);
    expect(after()).toBe('p3');
  });

  it('opens another one after the last message when the browser gave up, and tells why it was refused', async () => {
    last().say('ready', { resumed: false }, 'a');
    last().say('event', { id: '1' }, 'b');
    answer = () => new Response('{"error":{"code":"stream_limit_reached","message":"Too many streams."}}', { status: 429 });
    last().fail(HandSource.CLOSED);
    await vi.advanceTimersByTimeAsync(0);
    expect(states.at(-1)).toMatchObject({ name: 'refused', message: 'Too many streams.' });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(HandSource.opened).toHaveLength(2);
    expect(after()).toBe('b');
  });

  it('shows a gap when the stream could not be continued, and none when it could', () => {
    last().say('ready', { resumed: false }, 'a');
    last().say('ready', { resumed: true }, 'b');
    vi.advanceTimersByTime(20);
    expect(messages).toEqual([]);
    last().say('ready', { resumed: false }, 'c');
    vi.advanceTimersByTime(20);
    expect(messages).toEqual([{ kind: 'gap', reason: 'not_resumed' }]);
  });

  it('ends with the access, and is not opened again', async () => {
    last().say('bye', { reason: 'access_ended' });
    expect(states.at(-1)?.name).toBe('ended');
    expect(accessEnded).toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(HandSource.opened).toHaveLength(1);
  });

  it('goes on after a server that stops', () => {
    last().say('ready', { resumed: false }, 'a');
    last().say('bye', { reason: 'server_stopping' });
    expect(states.at(-1)?.name).toBe('live');
  });
});
