/** The filter of dead letters, and the requests that take more than one round. */
import { call, type Schemas } from '../api/client';

/** Names the same dead letters in a query and in a body. */
export type Filter = {
  source_id?: string;
  destination_id?: string;
  error_code?: Schemas['DeliveryErrorCode'];
  response_status?: number;
};

type Group = Pick<Schemas['FailureGroup'], 'destination_id' | 'error_code' | 'response_status'>;

/** The dead letters of a group, or with no group of the whole list. An empty source means all of them. */
export function filterOf(source: string, group?: Group): Filter {
  return {
    ...(source === '' ? {} : { source_id: source }),
    ...(group === undefined ? {} : { destination_id: group.destination_id }),
    ...(group?.error_code == null ? {} : { error_code: group.error_code }),
    ...(group?.response_status == null ? {} : { response_status: group.response_status }),
  };
}

/** Dismisses, or takes dismissals back, until all are done, and returns their number. A request of the server works for five seconds. */
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

/** The rate that somebody typed: nothing is no bound. The server says what is wrong with any other text. */
export function rateOf(typed: string): number | string | null {
  const text = typed.trim();
  if (text === '') return null;
  return /^\d{1,9}$/.test(text) ? Number(text) : text;
}
