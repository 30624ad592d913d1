/** What needs attention, the most severe first: open circuits, failed and old deliveries, refused requests, the plan's end, broken alerts, silent sources. */
import type { ReactNode } from 'react';
import { useAlertConfigs, useDestinations, useDestinationsById, useFailureGroups, useStatsByDestination, useStatsBySource, useStatsBySourceBefore, useUsage } from '../../api/queries';
import { useNow } from '../../lib/now';
import { usePreferences } from '../../lib/preferences';
import { errorLabel } from '../../lib/states';
import { notTaken, windowBefore } from '../../lib/stats';
import { count, plural } from '../../lib/text';
import { coarse, countdown, when } from '../../lib/time';
import { Icon, type IconName } from '../../ui/icons';
import { Ago, Badge, Blank, ButtonLink, Panel, Skeleton } from '../../ui/parts';
import { labelOf, whereTo } from '../alerts/channels';
import { groupKey, isRejected } from '../failures/FailuresPage';

type Item = { key: string; icon: IconName; tone: string; title: string; text: ReactNode; since?: string; to: string; action: string };

const MAX_GROUPS = 5;
const LISTED = 200;
const LOOKED_UP = 20;
/** A delivery that has waited this long is late, whatever the retry schedule says. */
const OLD_SECONDS = 900;
/** The share of the plan's events from which the end of the month matters. */
const NEARLY_USED = 0.8;
/** Fewer events than this in the window before may be chance. */
const ACTIVE_EVENTS = 10;

/** What decides how many lines there are. */
export function useChecks(window: string) {
  return {
    destinations: useDestinations({ limit: LISTED }, 15_000),
    groups: useFailureGroups(),
    sources: useStatsBySource(window),
    stats: useStatsByDestination(window),
  };
}

export function Attention({ window }: { window: string }) {
  const { destinations, groups, sources, stats } = useChecks(window);
  const listed = destinations.data?.items ?? [];
  // A workspace may have ten thousand: those beyond the list matter if something waits for them.
  const beyond = (destinations.data?.total ?? 0) > listed.length ? (stats.data?.items ?? []).filter((one) => !one.deleted && one.waiting.count > 0 && !listed.some((other) => other.id === one.destination_id)) : [];
  const others = useDestinationsById(beyond.slice(0, LOOKED_UP).map((one) => one.destination_id), 15_000);
  const usage = useUsage().data;
  const alerts = useAlertConfigs().data;
  const before = useStatsBySourceBefore(sources.data && windowBefore(sources.data)).data;
  const { zone } = usePreferences();
  const now = useNow();
  const all = [destinations, groups, sources];
  const checkedAt = Math.min(...all.map((one) => one.dataUpdatedAt));
  const items: Item[] = [];
  for (const one of [...listed, ...others.values()]) {
    if (one.circuit_state === 'closed') continue;
    const isOpen = one.circuit_state === 'open';
    const waiting = stats.data?.items.find((other) => other.destination_id === one.id)?.waiting.count ?? 0;
    items.push({
      key: one.id,
      icon: isOpen ? 'copen' : 'chalf',
      tone: isOpen ? 'is-failed' : 'is-retrying',
      title: `${one.name}: ${isOpen ? 'circuit open' : 'recovering'}`,
      text: isOpen ? (
        <>
          {waiting === 0 ? 'Deliveries wait' : `${plural(waiting, 'delivery waits', 'deliveries wait')}`}; nothing is lost.
          {one.circuit_reopen_at !== null && (
            <>
              {' '}
              Probe in <b className="strong num">{countdown(one.circuit_reopen_at, now)}</b>.
            </>
          )}
        </>
      ) : (
        'A probe decides whether the waiting deliveries follow.'
      ),
      to: `/destinations/${one.id}`,
      action: 'Open destination',
    });
  }
  const failures = [...(groups.data?.items ?? [])].sort((a, b) => b.count - a.count);
  for (const group of failures.slice(0, MAX_GROUPS)) {
    items.push({
      key: groupKey(group),
      icon: isRejected(group) ? 'rejected' : 'gaveup',
      tone: 'is-failed',
      title: `${group.destination_name}: ${plural(group.count, 'failed delivery', 'failed deliveries')}`,
      text: (
        <>
          {errorLabel(group.error_code, group.response_status)}, last <Ago time={group.last_seen} />
        </>
      ),
      since: group.first_seen,
      to: `/failures?group=${encodeURIComponent(groupKey(group))}`,
      action: 'Review and replay',
    });
  }
  const isHeld = new Set(items.map((one) => one.key));
  for (const { destination_id, destination_name, deleted, waiting } of stats.data?.items ?? []) {
    if (deleted || isHeld.has(destination_id) || waiting.count === 0 || (waiting.oldest_age_seconds ?? 0) < OLD_SECONDS) continue;
    items.push({
      key: `${destination_id} old`,
      icon: 'retry',
      tone: 'is-retrying',
      title: `${destination_name}: ${plural(waiting.count, 'delivery waits', 'deliveries wait')}`,
      text: `The oldest came ${coarse((waiting.oldest_age_seconds ?? 0) * 1000)} ago.`,
      since: waiting.oldest_received_at ?? undefined,
      to: `/destinations/${destination_id}`,
      action: 'See why',
    });
  }
  for (const one of sources.data?.items ?? []) {
    const others = notTaken(one.refused);
    if (one.refused['401'] > 0) {
      items.push({
        key: `${one.source_id} 401`,
        icon: 'unverified',
        tone: 'is-failed',
        title: `${one.source_name}: ${plural(one.refused['401'], 'event')} not verified`,
        text: 'Stored, answered 401, not delivered.',
        to: `/sources/${one.source_id}/verification`,
        action: 'Check the secret',
      });
    }
    if (others > 0) {
      items.push({
        key: `${one.source_id} refused`,
        icon: 'unverified',
        tone: 'is-failed',
        title: `${one.source_name}: ${plural(others, 'request')} refused`,
        text: 'Not stored. Most senders try again.',
        to: `/sources/${one.source_id}/refusals`,
        action: 'See why',
      });
    }
  }
  const { used, limit } = usage?.events ?? { used: 0, limit: null };
  if (limit !== null && used >= limit * NEARLY_USED) {
    items.push({
      key: 'quota',
      icon: 'silent',
      tone: used >= limit ? 'is-failed' : 'is-retrying',
      title: used >= limit ? 'The plan’s events of this month are used up' : `${Math.floor((used / limit) * 100)} % of the plan’s events are used`,
      text: `${count(used)} of ${count(limit)}${usage === undefined ? '' : `, until ${when(usage.period.end, zone, now)}`}. ${used >= limit ? 'Webhooks are answered 402.' : 'Beyond that, webhooks are answered 402.'}`,
      to: '/settings/plan',
      action: 'Plan and usage',
    });
  }
  for (const one of alerts?.items ?? []) {
    if (!one.enabled || one.last_error === null) continue;
    items.push({
      key: `${one.id} alert`,
      icon: 'alerts',
      tone: 'is-failed',
      title: `Alerts by ${labelOf(one.channel).toLowerCase()} do not arrive`,
      text: `${whereTo(one)}: ${one.last_error}`,
      to: '/alerts',
      action: 'Open alerts',
    });
  }
  for (const one of before?.items ?? []) {
    const current = sources.data?.items.find((other) => other.source_id === one.source_id);
    if (one.events < ACTIVE_EVENTS || current === undefined || current.events > 0 || notTaken(current.refused) > 0) continue;
    items.push({
      key: `${one.source_id} silent`,
      icon: 'silent',
      tone: 'is-retrying',
      title: `${one.source_name}: silent`,
      text: `No event within ${window.replace(/\d+/, '$& ')}; ${count(one.events)} in the same time before.`,
      to: `/sources/${one.source_id}`,
      action: 'Open source',
    });
  }
  const isKnown = all.every((one) => one.data !== undefined);
  const isFailing = all.some((one) => one.isError);
  return (
    <Panel title={<>Needs attention {items.length > 0 && <Badge failed>{items.length}</Badge>}</>} note={isFailing ? 'some of it could not be read' : undefined} flush end={isKnown && <span className="faint small">Checked {coarse(now - checkedAt)} ago</span>}>
      {items.length > 0 ? (
        <ul className="attn">
          {items.map((item) => (
            <li key={item.key}>
              <Icon name={item.icon} className={item.tone} />
              <span className="strong cut">{item.title}</span>
              <span className="muted cut">{item.text}</span>
              <span className="faint small num since">{item.since !== undefined && `since ${when(item.since, zone, now)}`}</span>
              <ButtonLink to={item.to}>{item.action}</ButtonLink>
            </li>
          ))}
          {failures.length > MAX_GROUPS && <li className="faint small rest">{plural(failures.length - MAX_GROUPS, 'more group')} in Failures</li>}
        </ul>
      ) : isKnown ? (
        <Blank icon="delivered" title="Nothing needs your attention">
          No circuit is open, no failure is unresolved, nothing waits for long, no request was refused.
        </Blank>
      ) : isFailing ? (
        <Blank tone="failed" icon="unverified" title="This could not be checked">
          Retrying every few seconds.
        </Blank>
      ) : (
        <Skeleton rows={2} />
      )}
    </Panel>
  );
}
