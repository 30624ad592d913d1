/** The sentence at the top of an event: what became of all its deliveries. */
import type { Schemas } from '../../api/client';
import { deliveriesInWords, deliveryState } from '../../lib/states';
import { visible } from '../../lib/text';
import { countdown, withTimes, type Zone } from '../../lib/time';

type Event = Schemas['Event'];
type Delivery = Schemas['Delivery'];

/** The newest delivery on each connection, because a resend replaces what failed before it. */
export function latestByConnection(deliveries: Delivery[]): Delivery[] {
  const latest = new Map<string, Delivery>();
  for (const one of [...deliveries].sort((a, b) => (a.id < b.id ? -1 : 1))) latest.set(one.connection_id, one);
  return [...latest.values()];
}

export type Sentence = { summary: string; name?: string; rest?: string };

export function headline(event: Event, now: number, zone: Zone): Sentence {
  if (event.verification_status === 'failed') {
    return { summary: `Not verified: ${lower(event.verification_reason ?? 'the signature did not match.')} Stored, not delivered.` };
  }
  const latest = latestByConnection(event.deliveries);
  if (latest.length === 0) return { summary: 'No connection took this event, so it was stored but not delivered.' };
  const done = latest.filter((one) => one.status === 'succeeded').length;
  const others = latest.filter((one) => one.status !== 'succeeded');
  const summary = [
    `${done} of ${latest.length} delivered`,
    ...(others.length > 0 ? [deliveriesInWords(others)] : []),
  ].join(', ');
  const worst = others.find((one) => one.status === 'pending' || one.status === 'delivering') ?? others.find((one) => one.status !== 'filtered');
  if (worst === undefined) return { summary: `${summary}.` };
  return { summary: `${summary}.`, name: worst.destination_name, rest: restOf(worst, now, zone) };
}

function restOf(delivery: Delivery, now: number, zone: Zone): string {
  if (deliveryState(delivery) === 'retry' && delivery.next_attempt_at !== null && Date.parse(delivery.next_attempt_at) > now) {
    return ` gets attempt ${delivery.attempt_count + 1} in ${countdown(delivery.next_attempt_at, now)}.`;
  }
  return `: ${withTimes(lower(delivery.reason.replace(/^(Held|Failed): /, '')), zone, now)}`;
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** A title for the event: its type or, if it has none, its content type. */
export function titleOf(event: Event): string {
  return visible(event.event_type ?? event.content_type?.split(';')[0] ?? 'no content type');
}
