/** The filter for dead letters, and the requests to dismiss them or undo that, which are repeated until none is left. */
import { call, type Schemas } from '../api/client';

/** Selects dead letters, as a request body has it. */
export type Filter = {
  status?: Schemas['ReplayableStatus'][];
  source_id?: string;
  destination_id?: string;
  error_code?: Schemas['DeliveryErrorCode'];
  response_status?: number;
  received_after?: string;
};

type Group = Pick<Schemas['FailureGroup'], 'destination_id' | 'error_code' | 'response_status'>;

/** A filter for those dead letters of the list that belong to the group. */
export function filterOf(list: Filter, group: Group): Filter {
  return {
    ...list,
    destination_id: group.destination_id,
    ...(group.error_code == null ? {} : { error_code: group.error_code }),
    ...(group.response_status == null ? {} : { response_status: group.response_status }),
  };
}

/** The same filter as the parameters of a query. */
export function inQuery({ status, ...rest }: Filter) {
  return { ...rest, status: status?.join() };
}

/**
 * Dismisses dead letters, or undoes dismissals, and returns how many. The server handles each request for at most five seconds, so it is
 * repeated until nothing is left.
 */
export async function mark(what: 'dismiss' | 'undismiss', filter: Filter, onProgress: (number: number) => void = () => {}): Promise<number> {
  let number = 0;
  let next = await markOnce(what, filter);
  for (;;) {
    number += next.more;
    if (next.cursor === null) return number;
    onProgress(number);
    next = await markOnce(what, { ...filter, cursor: next.cursor });
  }
}

async function markOnce(what: 'dismiss' | 'undismiss', body: Filter & { cursor?: string }): Promise<{ more: number; cursor: string | null }> {
  if (what === 'dismiss') {
    const answer = await call('POST /api/v1/dlq/dismiss', { body });
    return { more: answer.dismissed, cursor: answer.next_cursor };
  }
  const answer = await call('POST /api/v1/dlq/undismiss', { body });
  return { more: answer.undismissed, cursor: answer.next_cursor };
}

/** Reads the rate that a user typed. Empty means no limit. Text that is not a number is sent as it is, and the server says what is wrong. */
export function rateOf(typed: string): number | string | null {
  const text = typed.trim();
  if (text === '') return null;
  return /^\d{1,9}$/.test(text) ? Number(text) : text;
}
