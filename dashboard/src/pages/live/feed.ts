/** The rows of the live view: newest first, at most MAX_ROWS, and unchanged while the view is paused. */
import type { Schemas } from '../../api/client';

export const MAX_ROWS = 500;

export type Outcome = Schemas['StreamedDelivery']['status'];
export type EventRow = { kind: 'event'; id: string; event: Schemas['StreamedEvent']; outcomes: Outcome[] };
/** Something above or below this row may be missing. */
export type GapRow = { kind: 'gap'; id: string; reason: string };
export type Row = EventRow | GapRow;

export type Message =
  | { kind: 'event'; event: Schemas['StreamedEvent'] }
  | { kind: 'delivery'; delivery: Schemas['StreamedDelivery'] }
  | { kind: 'gap'; reason: string };

export type Feed = {
  rows: Row[];
  isPaused: boolean;
  /** Messages that arrived while the view is paused. They wait until it is resumed. */
  held: Message[];
  /** How many events arrived while the view is paused, including those that were dropped since. */
  heldCount: number;
  /** How many gaps there were, which numbers them. */
  gaps: number;
};

export const EMPTY: Feed = { rows: [], isPaused: false, held: [], heldCount: 0, gaps: 0 };

/** Outcomes need room too: an event may have several. */
const MAX_HELD = 4 * MAX_ROWS;

export function add(feed: Feed, messages: Message[]): Feed {
  if (messages.length === 0) return feed;
  if (feed.isPaused) {
    const events = messages.filter((one) => one.kind === 'event').length;
    return { ...feed, held: [...feed.held, ...messages].slice(-MAX_HELD), heldCount: feed.heldCount + events };
  }
  const rows = new Map([...feed.rows].reverse().map((one) => [one.id, one]));
  let gaps = feed.gaps;
  for (const message of messages) {
    if (message.kind === 'gap') {
      gaps += 1;
      rows.set(`gap ${gaps}`, { kind: 'gap', id: `gap ${gaps}`, reason: message.reason });
    } else if (message.kind === 'event') {
      const { id } = message.event;
      if (!rows.has(id)) rows.set(id, { kind: 'event', id, event: message.event, outcomes: [] });
    } else {
      const row = rows.get(message.delivery.event_id);
      // The event may be older than the view; its page has the outcome.
      if (row?.kind === 'event') rows.set(row.id, { ...row, outcomes: [...row.outcomes, message.delivery.status] });
    }
  }
  return { ...feed, gaps, rows: [...rows.values()].reverse().slice(0, MAX_ROWS) };
}

export function pause(feed: Feed): Feed {
  return { ...feed, isPaused: true };
}

export function resume(feed: Feed): Feed {
  return add({ ...feed, isPaused: false, held: [], heldCount: 0 }, feed.held);
}

/** Empties the view, and drops the held messages too. */
export function clear(feed: Feed): Feed {
  return { ...feed, rows: [], held: [], heldCount: 0 };
}
