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
  quota_exceeded: 'The plan’s events for this month are used up.',
  payload_too_large: 'The body is larger than allowed.',
  rate_limited: 'More requests a minute than the plan allows for a source.',
  not_stored: 'The event could not be stored, or it is not known whether it was. Senders try again.',
  unavailable: 'No room for more requests, or the database did not answer. Senders try again.',
};
