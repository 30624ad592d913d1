/** One replay: its progress, and what can be done with it until it ends. */
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Link } from 'wouter';
import { call, type Schemas } from '../../api/client';
import { changed } from '../../api/queries';
import { rateOf } from '../../lib/deadLetters';
import { usePreferences } from '../../lib/preferences';
import { count } from '../../lib/text';
import { dateTime } from '../../lib/time';
import { AtControl, Confirm } from '../../ui/AtControl';
import { Field, Form, text } from '../../ui/form';
import { Dialog } from '../../ui/overlay';
import { Ago, Button, Chip, StateLabel } from '../../ui/parts';
import { toast } from '../../ui/toast';
import { isOver, progressOf, rateInWords, scopeOf, shareOf, STATE_NAMES } from './words';

type Replay = Schemas['Replay'];

export function ReplayRow({ replay, name }: { replay: Replay; name: string }) {
  const { zone } = usePreferences();
  const { state, label } = STATE_NAMES[replay.status];
  return (
    <tr>
      <td className="muted at" title={dateTime(replay.created_at, zone)}>
        <Link href={`/replays/${replay.id}`}>
          <Ago time={replay.created_at} />
        </Link>
      </td>
      <td className="sum">{replay.connection_id === null ? name : <Link href={`/connections/${replay.connection_id}`}>{name}</Link>}</td>
      <td className="wide muted">{scopeOf(replay)}</td>
      <td className="dl">
        <StateLabel state={state} label={label} />
      </td>
      <td className="src-c">
        <ReplayProgress replay={replay} />
        {replay.reason !== null && <p className="t-failed small">{replay.reason}</p>}
      </td>
      <td className="r">{!isOver(replay) && <Actions replay={replay} />}</td>
    </tr>
  );
}

export function ReplayProgress({ replay }: { replay: Replay }) {
  const share = shareOf(replay);
  const pace = usePace(replay);
  return (
    <div className="progress">
      <progress className={STATE_NAMES[replay.status].state} max={1} value={share} aria-label={`${Math.round(share * 100)} %`} />
      <span className="num small">
        {progressOf(replay)}
        {pace !== null && `, ${count(pace)} per second`}
        {rateInWords(replay.per_second)}
      </span>
    </div>
  );
}

export function ReplayChip({ replay }: { replay: Replay }) {
  const { state, label } = STATE_NAMES[replay.status];
  return <Chip state={state} label={label} />;
}

/** What can be done with a replay that has not ended. */
export function Actions({ replay }: { replay: Replay }) {
  const [isRateOpen, setRateOpen] = useState(false);
  const path = { id: replay.id };
  const [isCancelling, setCancelling] = useState(false);
  // Most refusals mean that the replay has ended, or that somebody else was faster.
  const onError = () => changed('replays');
  const pause = useMutation({
    mutationFn: () => (replay.status === 'paused' ? call('POST /api/v1/replays/{id}/resume', { path }) : call('POST /api/v1/replays/{id}/pause', { path })),
    onSuccess: ({ status }) => {
      toast(status === 'paused' ? 'Paused. Deliveries created so far go out' : 'Resumed');
      void changed('replays');
    },
    onError,
  });
  const cancel = useMutation({
    mutationFn: () => call('POST /api/v1/replays/{id}/cancel', { path }),
    onSuccess: () => {
      setCancelling(false);
      toast('Cancelled. Deliveries created so far go out');
      void changed('replays');
    },
    onError,
  });
  const isBusy = pause.isPending || cancel.isPending;
  return (
    <span className="replay-acts">
      <AtControl of={pause}>
        <Button disabled={isBusy} onClick={() => pause.mutate()}>
          {replay.status === 'paused' ? 'Resume' : 'Pause'}
        </Button>
      </AtControl>
      <Button onClick={() => setRateOpen(true)}>Rate</Button>
      <Button disabled={isBusy} onClick={() => setCancelling(true)}>
        Cancel
      </Button>
      {isCancelling && (
        <Confirm title="Cancel this replay?" action="Cancel the replay" keep="Go on" of={cancel} onConfirm={() => cancel.mutate()} onClose={() => setCancelling(false)}>
          It creates no more deliveries, and cannot be resumed. Those that it has created go out.
        </Confirm>
      )}
      {isRateOpen && <RateDialog replay={replay} onClose={() => setRateOpen(false)} />}
    </span>
  );
}

function RateDialog({ replay, onClose }: { replay: Replay; onClose: () => void }) {
  return (
    <Dialog title="Rate of the replay" onClose={onClose}>
      <Form
        onSubmit={(values) => call('PATCH /api/v1/replays/{id}', { path: { id: replay.id }, body: { per_second: rateOf(text(values, 'per_second')) } })}
        onDone={() => {
          toast('Rate changed');
          void changed('replays');
          onClose();
        }}
        footer={(isBusy) => (
          <footer>
            <Button onClick={onClose}>Keep it</Button>
            <Button type="submit" kind="primary" disabled={isBusy}>
              Change rate
            </Button>
          </footer>
        )}
      >
        <RateField value={replay.per_second} />
      </Form>
    </Dialog>
  );
}

export function RateField({ value = null }: { value?: number | null }) {
  return <Field name="per_second" label="At most" unit="per second" value={value ?? ''} hint="From 1 to 10 000 deliveries a second. Empty: as fast as they are delivered." autoComplete="off" />;
}

/** @returns deliveries a second, or null while that is not known */
export function usePace(replay: Replay): number | null {
  const samples = useRef<Sample[]>([]);
  samples.current = addSample(samples.current, replay);
  return paceOf(samples.current);
}

type Sample = { at: number; done: number };

/** How far back the pace is measured. */
const PACE_MILLISECONDS = 15_000;

/** Deliveries a second over the last seconds, or null while that is not known. Without `samples` of a running replay there is none. */
export function paceOf(samples: Sample[]): number | null {
  const first = samples[0];
  const last = samples.at(-1);
  if (first === undefined || last === undefined || last.at - first.at < 1_000) return null;
  return Math.round(((last.done - first.done) * 1_000) / (last.at - first.at));
}

/** Remembers what the page saw of a replay. A pause forgets it, so that paused time does not count. */
export function addSample(samples: Sample[], replay: Pick<Replay, 'status' | 'updated_at' | 'created' | 'skipped'>): Sample[] {
  if (replay.status !== 'running') return [];
  const now = { at: Date.parse(replay.updated_at), done: replay.created + replay.skipped };
  if (samples.at(-1)?.at === now.at) return samples;
  return [...samples.filter((one) => now.at - one.at <= PACE_MILLISECONDS), now];
}
