/** A replay in words: what it covers, and how far it is. */
import type { Schemas } from '../../api/client';
import { errorLabel } from '../../lib/states';
import { count } from '../../lib/text';

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

/** `3 of 5`, `10 000 of at least 48 211, 3 left out`. */
export function progressOf(replay: Pick<Replay, 'created' | 'skipped' | 'planned' | 'is_exact'>): string {
  const done = `${count(replay.created + replay.skipped)} of ${replay.is_exact ? '' : 'at least '}${count(replay.planned)}`;
  return replay.skipped === 0 ? done : `${done}, ${count(replay.skipped)} left out`;
}

/** `, at most 10 per second`. */
export function rateInWords(perSecond: number | null): string {
  return perSecond === null ? '' : `, at most ${count(perSecond)} per second`;
}
