/** Follows the workspace's events over one connection. After a break it resumes behind the last message received. */
import { BASE_PATH, pageWorkspace, pathOf, refusalOf, type CallOptions, type Operation } from '../../api/client';
import type { Message } from './feed';

export type StreamState =
  | { name: 'connecting' | 'live' }
  /** The connection is lost; the next try is at `retryAt`, in milliseconds of the browser's clock. */
  | { name: 'reconnecting'; retryAt: number }
  /** The server refused the stream; another try follows at `retryAt`. */
  | { name: 'refused'; message: string; retryAt: number }
  /** It ended for good. */
  | { name: 'ended'; message: string };

const STREAM = 'GET /api/v1/stream' satisfies Operation;

/** The server sends something at least every 15 s. After this long without anything, the connection is dead, whatever the browser says. */
const SILENCE_TIMEOUT = 35_000;
const SILENCE_CHECK_INTERVAL = 1_000;
/** Asks for heartbeats as messages, because an EventSource shows no comments. */
const HEARTBEATS = { ping: 'true' };

const MIN_RETRY_MILLISECONDS = 2_000;
const MAX_RETRY_MILLISECONDS = 30_000;
/** Every paint lays out the whole table, and nobody can read faster than this. */
const MIN_PAINT_INTERVAL = 100;
/** A hidden tab gets no animation frames, so this many messages are handed on without one. */
const MAX_BATCH = 500;

const ENDS: Record<string, string> = {
  access_ended: 'Your session has ended, or you are no longer a member of this workspace.',
  source_gone: 'The source was deleted.',
  workspace_suspended: 'The operator of the server has suspended the workspace.',
};

type Listener = { onState: (state: StreamState) => void; onMessages: (messages: Message[]) => void; onAccessEnded: () => void };

/** @returns a function that ends the stream */
export function follow(source: string, { onState, onMessages, onAccessEnded }: Listener): () => void {
  let stream: EventSource | undefined;
  let lastId = '';
  let wasReady = false;
  let isOver = false;
  let wait = MIN_RETRY_MILLISECONDS;
  let heardAt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let frame = 0;
  let pause: ReturnType<typeof setTimeout> | undefined;
  let paintedAt = 0;
  let batch: Message[] = [];

  const flush = () => {
    cancelAnimationFrame(frame);
    clearTimeout(pause);
    frame = 0;
    pause = undefined;
    paintedAt = Date.now();
    const messages = batch;
    batch = [];
    onMessages(messages);
  };
  const push = (message: Message) => {
    batch.push(message);
    if (batch.length >= MAX_BATCH) flush();
    else if (frame === 0 && pause === undefined) schedule();
  };
  const schedule = () => {
    const rest = paintedAt + MIN_PAINT_INTERVAL - Date.now();
    if (rest > 0 && rest <= MIN_PAINT_INTERVAL) {
      pause = setTimeout(() => {
        pause = undefined;
        frame = requestAnimationFrame(flush);
      }, rest);
    } else {
      frame = requestAnimationFrame(flush);
    }
  };
  const end = (message: string) => {
    isOver = true;
    clearInterval(silence);
    stream?.close();
    onState({ name: 'ended', message });
  };

  const options = (): CallOptions<typeof STREAM> => ({ query: { source_ids: source, include: 'deliveries', after: lastId, workspace: pageWorkspace(), ...HEARTBEATS } });

  /** Opens another one later. The browser would do so too, but at a time it does not tell. */
  const reconnect = (leastWait = 0, refusal?: string) => {
    stream?.close();
    stream = undefined;
    const delay = Math.max(wait, leastWait);
    const retryAt = Date.now() + delay;
    onState(refusal === undefined ? { name: 'reconnecting', retryAt } : { name: 'refused', message: refusal, retryAt });
    timer = setTimeout(open, delay);
    wait = Math.min(wait * 2, MAX_RETRY_MILLISECONDS);
  };

  /** An EventSource does not say why it was refused. */
  const retry = async () => {
    const error = await refusalOf(STREAM, options());
    if (isOver) return;
    if (error?.status === 401) {
      onAccessEnded();
      return end(ENDS.access_ended ?? '');
    }
    if (error?.status === 404) return end(error.message);
    // The position is no longer valid: continue with the next events, and show a gap.
    if (lastId !== '' && (error?.status === 400 || error?.status === 422)) lastId = '';
    reconnect((error?.retryAfterSeconds ?? 0) * 1000, error === null || error.status === 0 ? undefined : error.message);
  };

  const open = () => {
    if (isOver) return;
    clearTimeout(timer);
    stream?.close();
    heardAt = Date.now();
    const opened = new EventSource(BASE_PATH + pathOf(STREAM, options()));
    stream = opened;
    const on = (name: string, act: (data: Record<string, unknown>) => void) =>
      opened.addEventListener(name, (event) => {
        if (isOver || stream !== opened) return;
        heardAt = Date.now();
        const message = event as MessageEvent<string>;
        if (message.lastEventId !== '') lastId = message.lastEventId;
        act(JSON.parse(message.data) as Record<string, unknown>);
      });
    on('ready', (data) => {
      wait = MIN_RETRY_MILLISECONDS;
      if (wasReady && data.resumed !== true) push({ kind: 'gap', reason: 'not_resumed' });
      wasReady = true;
      onState({ name: 'live' });
    });
    on('event', (data) => push({ kind: 'event', event: data as never }));
    on('delivery', (data) => push({ kind: 'delivery', delivery: data as never }));
    on('gap', (data) => push({ kind: 'gap', reason: String(data.reason) }));
    on('ping', () => {});
    on('bye', (data) => {
      const message = ENDS[String(data.reason)];
      if (data.reason === 'access_ended') onAccessEnded();
      if (message !== undefined) end(message);
    });
    opened.addEventListener('error', () => {
      if (isOver || stream !== opened) return;
      if (opened.readyState === EventSource.CLOSED) void retry();
      else reconnect();
    });
  };

  // A connection that broke while the computer slept, or behind a dead proxy, may look open for minutes.
  const silence = setInterval(() => {
    if (!isOver && stream?.readyState === EventSource.OPEN && Date.now() - heardAt > SILENCE_TIMEOUT) reconnect();
  }, SILENCE_CHECK_INTERVAL);
  addEventListener('online', open);
  onState({ name: 'connecting' });
  open();
  return () => {
    isOver = true;
    clearInterval(silence);
    clearTimeout(timer);
    clearTimeout(pause);
    cancelAnimationFrame(frame);
    removeEventListener('online', open);
    stream?.close();
  };
}
