/** Links from a delivery to its event. */

const WHOLE_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isWholeId(text: string): boolean {
  return WHOLE_ID.test(text);
}

/** The event's page with this delivery marked and its attempts open. */
export function deliveryPath(delivery: { id: string; event_id: string }): string {
  return `/events/${delivery.event_id}?delivery=${delivery.id}`;
}
