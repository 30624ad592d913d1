/** One label, icon, mark and colour for each state. Pages name a state, never a colour. */
import type { Schemas } from '../api/client';
import type { IconName } from '../ui/icons';

export type Tone = 'delivered' | 'retrying' | 'failed' | 'held' | 'filtered';

export type StateName =
  | 'delivered' | 'delivering' | 'retry' | 'waiting' | 'held' | 'rejected' | 'gaveup' | 'filtered' | 'unverified'
  | 'cclosed' | 'copen' | 'chalf' | 'paused' | 'active';

type State = { label: string; icon: IconName; tone: Tone; mark: IconName | null };

export const STATES: Record<StateName, State> = {
  delivered: { label: 'Delivered', icon: 'delivered', tone: 'delivered', mark: 'mk-delivered' },
  delivering: { label: 'Delivering', icon: 'delivering', tone: 'retrying', mark: 'mk-delivering' },
  retry: { label: 'Retry scheduled', icon: 'retry', tone: 'retrying', mark: 'mk-retrying' },
  waiting: { label: 'Waiting', icon: 'delivering', tone: 'retrying', mark: 'mk-retrying' },
  held: { label: 'Held', icon: 'held', tone: 'held', mark: 'mk-held' },
  rejected: { label: 'Rejected', icon: 'rejected', tone: 'failed', mark: 'mk-failed' },
  gaveup: { label: 'Gave up', icon: 'gaveup', tone: 'failed', mark: 'mk-failed' },
  filtered: { label: 'Filtered', icon: 'filtered', tone: 'filtered', mark: 'mk-filtered' },
  unverified: { label: 'Not verified', icon: 'unverified', tone: 'failed', mark: null },
  cclosed: { label: 'Healthy', icon: 'cclosed', tone: 'delivered', mark: null },
  copen: { label: 'Circuit open', icon: 'copen', tone: 'failed', mark: null },
  chalf: { label: 'Recovering', icon: 'chalf', tone: 'retrying', mark: null },
  paused: { label: 'Paused', icon: 'held', tone: 'held', mark: null },
  active: { label: 'Active', icon: 'cclosed', tone: 'delivered', mark: null },
};

type Delivery = Pick<Schemas['Delivery'], 'status' | 'hold' | 'attempt_count'>;

export function deliveryState(delivery: Delivery): StateName {
  switch (delivery.status) {
    case 'succeeded':
      return 'delivered';
    case 'delivering':
      return 'delivering';
    case 'failed':
      return 'rejected';
    case 'exhausted':
      return 'gaveup';
    case 'filtered':
      return 'filtered';
    case 'pending':
      if (delivery.hold !== null) return 'held';
      return delivery.attempt_count > 0 ? 'retry' : 'waiting';
  }
}

/** The API's reason without its first word, which a label beside it already says. */
export function reasonBesideLabel(reason: string): string {
  const rest = reason.replace(/^(Held|Failed|Filtered|Delivered): /, '');
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

export function circuitState(state: Schemas['CircuitState']): StateName {
  return { closed: 'cclosed' as const, open: 'copen' as const, half_open: 'chalf' as const }[state];
}

const ERROR_LABELS: Record<NonNullable<Schemas['DeliveryErrorCode']>, string> = {
  dns_failure: 'DNS failure',
  connect_refused: 'Connection refused',
  connect_timeout: 'Connection timed out',
  tls_failed: 'TLS problem',
  connection_reset: 'Connection reset',
  response_timeout: 'Response timeout',
  redirect: 'Redirect not followed',
  blocked_address: 'Private address blocked',
  http_status: 'Error status',
  invalid_response: 'Invalid response',
  transformation_failed: 'Transformation failed',
  payload_unreadable: 'Stored payload unreadable',
  interrupted: 'Interrupted',
  destination_deleted: 'Destination deleted',
  connection_deleted: 'Connection deleted',
  event_expired: 'Event expired',
};

const STATUS_HINTS: Record<number, string> = {
  400: 'bad request',
  401: 'not authorized',
  403: 'forbidden',
  404: 'not found',
  408: 'request timeout',
  410: 'gone',
  413: 'body too large',
  415: 'media type refused',
  422: 'content refused',
  429: 'throttled',
  500: 'server error',
  502: 'bad gateway',
  503: 'unavailable',
  504: 'gateway timeout',
};

/** `422 content refused`, `Connection refused`. */
export function errorLabel(code: Schemas['DeliveryErrorCode'] | null, status: number | null): string {
  if (status !== null && (code === null || code === 'http_status')) {
    const hint = STATUS_HINTS[status];
    return hint ? `${status} ${hint}` : `${status}`;
  }
  return code === null ? 'No response' : ERROR_LABELS[code];
}

/** What to do about a failure, by its class. */
export function errorAdvice(code: Schemas['DeliveryErrorCode'] | null, status: number | null): string {
  if (status === 408 || status === 429) return 'The destination asked for a lower rate: lower its rate limit, then replay.';
  if (status === 401 || status === 403) return 'Check the credentials of the destination, then replay.';
  if (status === 404 || status === 410) return 'Check the path in the destination’s URL, then replay.';
  if (status !== null && status >= 400 && status < 500) return 'A 4xx is not retried: fix the cause, then replay.';
  if (status !== null && status >= 500) return 'The receiver failed. Replay when it works again.';
  switch (code) {
    case 'dns_failure':
      return 'The host name of the destination did not resolve. Check the URL.';
    case 'connect_refused':
    case 'connect_timeout':
      return 'Nothing accepted the connection. Check that the receiver is running and can be reached from this server.';
    case 'tls_failed':
      return 'The certificate was not accepted. Check its date, its name and its chain.';
    case 'response_timeout':
      return 'The receiver took longer than the destination’s timeout. Raise the timeout, or respond first and do the work afterwards.';
    case 'redirect':
      return 'Redirects are not followed. Use the final URL in the destination.';
    case 'blocked_address':
      return 'The name resolves to a private address. SLUICE_ALLOW_PRIVATE_DESTINATIONS lists those that are allowed.';
    case 'transformation_failed':
      return 'Fix the connection’s transformation, then replay.';
    default:
      return 'Fix the cause, then replay.';
  }
}

/** `1 delivered, 1 held, 1 filtered`. */
export function deliveriesInWords(deliveries: Delivery[]): string {
  const counts = new Map<string, number>();
  for (const one of deliveries) {
    const { label } = STATES[deliveryState(one)];
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  return [...counts].map(([label, number]) => `${number} ${label.toLowerCase()}`).join(', ');
}
