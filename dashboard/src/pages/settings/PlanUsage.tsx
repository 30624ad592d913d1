/** What the workspace has used of its plan, and changing the plan. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, call, type Schemas } from '../../api/client';
import { changed, usePlans, useUsage } from '../../api/queries';
import { usePreferences } from '../../lib/preferences';
import { may } from '../../lib/roles';
import { count } from '../../lib/text';
import { dateTime } from '../../lib/time';
import { ErrorNote } from '../../ui/form';
import { Gate, Together } from '../../ui/gate';
import { Dialog } from '../../ui/overlay';
import { Badge, Button, Facts, Note, Panel } from '../../ui/parts';
import { toast } from '../../ui/toast';

type Plan = Schemas['Plan'];

/** From this share on, a limit is shown as nearly used up. */
const NEARLY_USED = 0.8;

export function PlanUsage({ me }: { me: Schemas['Me'] }) {
  const usage = useUsage();
  const plans = usePlans();
  const { zone } = usePreferences();
  return (
    <Together queries={[usage, plans]} rows={10}>
      <Panel title="Usage" note={usage.data && `this month until ${dateTime(usage.data.period.end, zone).slice(0, 16)}`}>
        <Gate query={usage} what="The usage" rows={3}>
          {(data) => (
            <ul className="choices">
              <Meter label="Events this month" {...data.events} over="More are answered 402 and not stored." />
              <Meter label="Sources" {...data.sources} over="No source can be created until one is deleted." />
              <Meter label="Destinations" {...data.destinations} over="No destination can be created until one is deleted." />
              <Meter label="Most connections of one source" {...data.connections_per_source} over="That source can have no other connection until one is deleted." />
              <Meter label="Bytes of configuration" {...data.configuration_bytes} over="Nothing can be added until something is deleted or shortened." />
              <Meter label="Live streams" {...data.concurrent_streams} over="More are answered 429 until one is closed." />
              <Meter label="API requests with a key, this minute" {...data.api_requests} over="More are answered 429 until the minute is over." />
            </ul>
          )}
        </Gate>
      </Panel>
      <Gate query={plans} what="The plans" rows={6}>
        {(data) => <Plans me={me} plans={data.items} />}
      </Gate>
    </Together>
  );
}

function Meter({ label, used, limit, over }: { label: string; used: number | null; limit: number | null; over: string }) {
  const share = used === null || limit === null ? 0 : limit === 0 ? 1 : used / limit;
  return (
    <li className="row wrap">
      <span className="grow">
        {label}
        {share >= NEARLY_USED && <span className={share >= 1 ? 't-failed small' : 't-retrying small'}> {share >= 1 ? `used up. ${over}` : 'nearly used up'}</span>}
      </span>
      {limit !== null && <progress className={share >= 1 ? 'rejected' : share >= NEARLY_USED ? 'delivering' : ''} value={Math.min(share, 1)} max={1} aria-label={label} />}
      <span className="num">
        {used === null ? 'not counted' : count(used)} <span className="faint">{limit === null ? 'no limit' : `of ${count(limit)}`}</span>
      </span>
    </li>
  );
}

function Plans({ me, plans }: { me: Schemas['Me']; plans: Plan[] }) {
  const [chosen, setChosen] = useState<Plan | null>(null);
  const isOwner = may(me.role, 'change-plan');
  const isKnown = plans.some((one) => one.name === me.workspace.plan);
  return (
    <>
      {!isKnown && <Note icon="unverified">The plan {me.workspace.plan} is not in the catalogue.</Note>}
      {plans.map((plan) => {
        const isPresent = plan.name === me.workspace.plan;
        return (
          <Panel
            key={plan.name}
            title={<>{plan.name} {isPresent && <Badge>your plan</Badge>}</>}
            note={plan.price_monthly_usd === 0 ? 'free' : `$${plan.price_monthly_usd} a month`}
            end={isOwner && !isPresent && <Button onClick={() => setChosen(plan)}>Change to {plan.name}</Button>}
          >
            <Facts facts={limitsOf(plan)} />
          </Panel>
        );
      })}
      {!isOwner && <Note icon="verified">Only an owner of the workspace can change the plan.</Note>}
      {chosen && <ChangePlan me={me} plan={chosen} onClose={() => setChosen(null)} />}
    </>
  );
}

function limitsOf({ limits, features }: Plan): [string, string][] {
  const limit = (value: number | null, unit = '') => (value === null ? 'no limit' : `${count(value)}${unit}`);
  return [
    ['Events a month', limit(limits.events_per_month)],
    ['Requests a minute per source', limit(limits.ingest_per_minute_per_source)],
    ['API requests a minute', limit(limits.api_requests_per_minute)],
    ['Sources', limit(limits.sources)],
    ['Destinations', limit(limits.destinations)],
    ['Connections of a source', limit(limits.connections_per_source)],
    ['Bytes of configuration', limit(limits.configuration_bytes)],
    ['Live streams at a time', limit(limits.concurrent_streams)],
    ['Events are kept', limit(limits.retention_days, ' days')],
    ...(features.length > 0 ? [['Features', features.join(', ')] as [string, string]] : []),
  ];
}

/** The first request asks the server what would be lost. Only the second one, which confirms it, goes ahead. */
function ChangePlan({ me, plan, onClose }: { me: Schemas['Me']; plan: Plan; onClose: () => void }) {
  const change = useMutation({
    mutationFn: (confirm: boolean) => call('PUT /api/v1/workspaces/{id}/plan', { path: { id: me.workspace.id }, body: { plan: plan.name, confirm } }),
    onSuccess: () => {
      toast(`The plan is ${plan.name} now`);
      void changed('me', 'workspaces', 'usage');
      onClose();
    },
  });
  const error = change.error;
  const isAsked = error instanceof ApiError && error.status === 409;
  return (
    <Dialog title={`Change the plan to ${plan.name}?`} onClose={onClose}>
      <div className="in stack">
        <p>Its limits apply within two seconds. What exceeds a new limit stays, but nothing can be added to it.</p>
        {error && <Refused error={error} />}
      </div>
      <footer>
        <Button onClick={onClose}>Keep {me.workspace.plan}</Button>
        <Button kind={isAsked ? 'danger' : 'primary'} disabled={change.isPending} onClick={() => change.mutate(isAsked)}>
          {isAsked ? 'Change anyway' : 'Change plan'}
        </Button>
      </footer>
    </Dialog>
  );
}

/** 403 has two causes, the role and the server's setting; the message says which. */
function Refused({ error }: { error: Error }) {
  if (!(error instanceof ApiError) || (error.status !== 409 && error.status !== 403)) return <ErrorNote error={error} />;
  return (
    <div role="alert">
      <Note icon="unverified" tone="failed">
        {error.message.replace(/ Send "confirm".*$/, ' This cannot be undone.')}
      </Note>
    </div>
  );
}
