/** A replay in words: what it covers, and how far it is. */
import type { Schemas } from '../../api/client';
import { errorLabel } from '../../lib/states';
import { count, plural } from '../../lib/text';

type Replay = Schemas['Replay'];

/** `failed, exhausted, 422 content refused, the first 5`. */
export function scopeOf(replay: Pick<Replay, 'statuses' | 'error_code' | 'response_status' | 'limit'>): string {
  const parts: string[] = [...replay.statuses];
  if (replay.error_code !== null || replay.response_status !== null) parts.push(errorLabel(replay.error_code, replay.response_status));
  if (replay.limit !== null) parts.push(`the first ${count(replay.limit)}`);
  return parts.join(', ');
}

/** From 0 to 1. The planned number may be only a minimum, so a running replay may reach 1 early. */
export function shareOf(replay: Pick<Replay, 'status' | 'created' | 'skipped' | 'planned'>): number {
  if (replay.status === 'completed') return 1;
  return replay.planned === 0 ? 0 : Math.min(1, (replay.created + replay.skipped) / replay.planned);
}

export const STATE_NAMES: Record<Replay['status'], { state: 'delivering' | 'delivered' | 'rejected' | 'held'; label: string }> = {
  running: { state: 'delivering', label: 'Running' },
  paused: { state: 'held', label: 'Paused' },
  completed: { state: 'delivered', label: 'Completed' },
  cancelled: { state: 'held', label: 'Cancelled' },
  failed: { state: 'rejected', label: 'Failed' },
};

export function isOver({ status }: Pick<Replay, 'status'>): boolean {
  return status !== 'running' && status !== 'paused';
}

/** What is happening, and what follows from it. The server's own reason comes first. */
export function sentenceOf(replay: Pick<Replay, 'status' | 'reason' | 'created'>): string {
  const created = `${plural(replay.created, 'delivery', 'deliveries')} created so far ${replay.created === 1 ? 'goes' : 'go'} out.`;
  const reason = replay.reason === null ? '' : `${replay.reason} `;
  switch (replay.status) {
    case 'running':
      return 'Deliveries are created, the oldest event first. Each goes out and is retried like any other.';
    case 'paused':
      return `${reason}${replay.created === 0 ? 'No delivery was created yet.' : `The ${created}`}`;
    case 'completed':
      return replay.created === 0 ? 'There was nothing left to send.' : 'All deliveries are created. Each goes out and is retried like any other.';
    case 'cancelled':
      return replay.created === 0 ? 'Cancelled before a delivery was created.' : `Cancelled. The ${created}`;
    case 'failed':
      return `${reason}${replay.created === 0 ? 'No delivery was created.' : `The ${created}`}`;
  }
}

/** Seconds until all are created, or null while that is not known. */
export function secondsLeft(replay: Pick<Replay, 'created' | 'skipped' | 'planned'>, pace: number | null): number | null {
  const left = replay.planned - replay.created - replay.skipped;
  return pace === null || pace === 0 || left <= 0 ? null : Math.ceil(left / pace);
}

type Named = { source_id: string; destination: { name: string } };

/** `shop-prod to billing-api`; undefined while the connection is not known, or if it is deleted. */
export function connectionName(connection: Named | undefined, sources: Map<string, { name: string }>): string | undefined {
  return connection && `${sources.get(connection.source_id)?.name ?? 'a source'} to ${connection.destination.name}`;
}

/** `3 of 5`, `10 000 of at least 48 211, 3 left out`. */
export function progressOf(replay: Pick<Replay, 'created' | 'skipped' | 'planned' | 'is_exact'>): string {
  const done = `${count(replay.created + replay.skipped)} of ${replay.is_exact ? '' : 'at least '}${count(replay.planned)}`;
  return replay.skipped === 0 ? done : `${done}, ${count(replay.skipped)} left out`;
}

/** `, at most 10 per second`. */
export function rateInWords(perSecond: number | null): string {
  return perSecond === null ? '' : `, at most ${count(perSecond)} per second`;
}
