/** Follows the workspace's events over one connection. After a break it resumes behind the last message received. */
import { BASE_PATH, pathOf, refusalOf, type CallOptions, type Operation } from '../../api/client';
import type { Message } from './feed';

export type StreamState =
  | { name: 'connecting' | 'live' | 'reconnecting' }
  /** The server refused the stream; another try follows. */
  | { name: 'refused'; message: string }
  /** It ended for good. */
  | { name: 'ended'; message: string };

const STREAM = 'GET /api/v1/stream' satisfies Operation;

const MIN_RETRY_MILLISECONDS = 2_000;
const MAX_RETRY_MILLISECONDS = 30_000;
/** Every paint lays out the whole table, and nobody can read faster than this. */
const MIN_PAINT_INTERVAL = 100;
/** A hidden tab gets no animation frames, so this many messages are handed on without one. */
const MAX_BATCH = 500;

const ENDS: Record<string, string> = {
  access_ended: 'Your session has ended, or is in another workspace.',
  source_gone: 'The source was deleted.',
};

type Listener = { onState: (state: StreamState) => void; onMessages: (messages: Message[]) => void; onAccessEnded: () => void };

/** @returns a function that ends the stream */
export function follow(source: string, { onState, onMessages, onAccessEnded }: Listener): () => void {
  let stream: EventSource | undefined;
  let lastId = '';
  let wasReady = false;
  let isOver = false;
  let wait = MIN_RETRY_MILLISECONDS;
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
    stream?.close();
    onState({ name: 'ended', message });
  };

  const options = (): CallOptions<typeof STREAM> => ({ query: { source_ids: source, include: 'deliveries', after: lastId } });

  /** An EventSource does not say why it was refused, and does not try again. */
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
    onState(error === null || error.status === 0 ? { name: 'reconnecting' } : { name: 'refused', message: error.message });
    timer = setTimeout(open, Math.max(wait, (error?.retryAfterSeconds ?? 0) * 1000));
    wait = Math.min(wait * 2, MAX_RETRY_MILLISECONDS);
  };

  const open = () => {
    if (isOver) return;
    clearTimeout(timer);
    stream?.close();
    const opened = new EventSource(BASE_PATH + pathOf(STREAM, options()));
    stream = opened;
    const on = (name: string, act: (data: Record<string, unknown>) => void) =>
      opened.addEventListener(name, (event) => {
        if (isOver || stream !== opened) return;
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
    on('bye', (data) => {
      const message = ENDS[String(data.reason)];
      if (data.reason === 'access_ended') onAccessEnded();
      if (message !== undefined) end(message);
    });
    opened.addEventListener('error', () => {
      if (isOver || stream !== opened) return;
      if (opened.readyState === EventSource.CLOSED) void retry();
      else onState({ name: 'reconnecting' });
    });
  };

  // A connection that broke while the computer slept may look open for minutes.
  addEventListener('online', open);
  onState({ name: 'connecting' });
  open();
  return () => {
    isOver = true;
    clearTimeout(timer);
    clearTimeout(pause);
    cancelAnimationFrame(frame);
    removeEventListener('online', open);
    stream?.close();
  };
}
