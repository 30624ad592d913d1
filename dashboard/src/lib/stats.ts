/** Computes what the statistics pages show from the counts. */
import type { Schemas } from '../api/client';

type Bucket = Schemas['StatsBucket'];

export type Part = { name: 'failed' | 'waiting' | 'filtered' | 'delivered' | 'events'; label: string; value: number };

/** `98.6 %`. A share is rounded down, so that 100 % means all of them. */
export function percent(share: number | null): string {
  if (share === null) return '–';
  return share === 1 ? '100 %' : `${(Math.floor(share * 1000) / 10).toFixed(1)} %`;
}

/** The outcomes of a bucket's deliveries or, if the window has no delivery, the bucket's events. */
export function partsOf(counts: Pick<Bucket, 'events' | 'succeeded' | 'failed' | 'exhausted' | 'pending' | 'filtered'>, hasDeliveries: boolean): Part[] {
  if (!hasDeliveries) return [{ name: 'events', label: 'Received', value: counts.events }];
  return [
    { name: 'failed', label: 'Failed', value: counts.failed + counts.exhausted },
    { name: 'waiting', label: 'Waiting', value: counts.pending },
    { name: 'filtered', label: 'Filtered', value: counts.filtered },
    { name: 'delivered', label: 'Delivered', value: counts.succeeded },
  ];
}

export function sumOf(parts: Part[]): number {
  return parts.reduce((sum, one) => sum + one.value, 0);
}

/** The window of the same length before this one, from the start of this one's first bucket backwards. */
export function windowBefore({ window, asked }: Pick<Schemas['StatsOverview'], 'window' | 'asked'>): Schemas['TimeWindow'] {
  const length = Date.parse(asked.before) - Date.parse(asked.after);
  return { after: new Date(Date.parse(window.after) - length).toISOString(), before: window.after };
}

type Timed = { window: Schemas['TimeWindow']; value: number };

/** `12 % more`, compared by what comes within the same time, because the current window may be longer than the one before. Undefined if nothing can be said. */
export function moreOrLess(current: Timed, past: Timed, now: number): string | undefined {
  const perHour = ({ window, value }: Timed) => value / (Math.min(now, Date.parse(window.before)) - Date.parse(window.after));
  if (past.value === 0) return undefined;
  const change = Math.round((perHour(current) / perHour(past) - 1) * 100);
  if (!Number.isFinite(change)) return undefined;
  return change === 0 ? 'as many as before' : `${Math.abs(change)} % ${change > 0 ? 'more' : 'fewer'} than before`;
}

/** The lines of a value axis: round numbers from the first step to the first that is not below the largest value. */
export function axisSteps(max: number): number[] {
  const rough = Math.max(1, max) / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, ([1, 2, 5].find((one) => one * power >= rough) ?? 10) * power);
  return Array.from({ length: Math.ceil(Math.max(1, max) / step) }, (_, i) => (i + 1) * step);
}

/** The same for a latency in milliseconds: 500 ms, 1 s, 1 min rather than 60 s in thirds of a thousand. */
export function latencySteps(max: number): number[] {
  const step = [5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000].find((one) => one * 3 >= max) ?? 100_000;
  return Array.from({ length: Math.max(1, Math.ceil(max / step)) }, (_, i) => (i + 1) * step);
}

/** A line through the middle of each bucket. It is broken where a bucket has no value; a value between two breaks is as wide as its bucket. */
export function linePath(values: (number | null)[], top: number, width: number, height: number): string {
  const step = width / values.length;
  return values
    .map((value, i) => {
      if (value === null) return '';
      const y = (height - (value / top) * height).toFixed(1);
      const [hasLeft, hasRight] = [typeof values[i - 1] === 'number', typeof values[i + 1] === 'number'];
      if (!hasLeft && !hasRight) return `M${(i * step).toFixed(1)} ${y}h${step.toFixed(1)}`;
      return `${hasLeft ? 'L' : 'M'}${((i + 0.5) * step).toFixed(1)} ${y}`;
    })
    .join('');
}

/** How high a tick is for a latency, from 0 to 1 on a logarithmic scale, so that 20 ms and 200 ms differ beside a timeout of 10 s. */
export function latencyShare(latency: number, timeout: number): number {
  return Math.min(1, Math.log1p(Math.max(0, latency)) / Math.log1p(timeout));
}

/** A link to the events of all buckets from one to another, in either order and both included. */
export function eventsHref(starts: string[], windowEnd: string, a: number, b: number): string {
  const first = starts[Math.min(a, b)] ?? '';
  const end = starts[Math.max(a, b) + 1] ?? windowEnd;
  return `/events?${new URLSearchParams({ after: first, before: end }).toString()}`;
}

/** How many requests were refused for a reason other than a failed check. */
export function notTaken(refused: Schemas['RefusedCounts']): number {
  return refused['402'] + refused['413'] + refused['429'] + refused['5xx'];
}

export const REFUSALS: Record<Schemas['RefusalReason'], string> = {
  verification_failed: 'The check failed. Stored as not verified, not delivered.',
  unverified_not_stored: 'The check failed. Only counted: the source stores no more of these for now.',
  quota_exceeded: 'The plan’s events for this month are used up.',
  payload_too_large: 'The body is larger than allowed.',
  rate_limited: 'More requests a minute than the plan allows for a source.',
  workspace_suspended: 'The operator of the server has suspended the workspace. Senders try again.',
  not_stored: 'The event could not be stored, or it is not known whether it was. Senders try again.',
  unavailable: 'No room for more requests, or the database did not answer. Senders try again.',
};
