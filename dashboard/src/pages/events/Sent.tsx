/** Shows what an attempt sent, and how that, or a resend made now, differs from the received request. */
import type { UseQueryResult } from '@tanstack/react-query';
import { useMemo, useState, type ReactNode } from 'react';
import { ApiError, type Schemas } from '../../api/client';
import { useResendPreview, useSentRequest, type Event } from '../../api/queries';
import { bodyBytes } from '../../lib/bytes';
import { diffBodies } from '../../lib/diff';
import { diffHeaders } from '../../lib/headers';
import { curl, httpie, isSecret, rawHttp } from '../../lib/requests';
import { useSearchState } from '../../lib/search';
import { errorLabel } from '../../lib/states';
import { visible } from '../../lib/text';
import { DiffView } from '../../ui/DiffView';
import { Gate } from '../../ui/gate';
import { Menu } from '../../ui/overlay';
import { Blank, copy, CopyButton, Note } from '../../ui/parts';
import { BodyView } from './BodyView';

type Delivery = Schemas['Delivery'];
type Request = Pick<Schemas['SentRequest'], 'headers' | 'body' | 'body_base64'>;

/** How the server masks its own secrets and signatures. */
const MASK = '***';

/** One attempt of one delivery; its key is in the address. */
export type Sending = { key: string; delivery: Delivery; attempt: Schemas['Attempt'] };

export const sendingKey = (delivery: Delivery, attempt: Schemas['Attempt']) => `${delivery.id}.${attempt.attempt_number}`;

/** All attempts, the latest of each delivery first. */
export function sendingsOf(deliveries: Delivery[]): Sending[] {
  return deliveries.flatMap((delivery) => [...delivery.attempts].reverse().map((attempt) => ({ key: sendingKey(delivery, attempt), delivery, attempt })));
}

function labelOf({ delivery, attempt }: Sending): string {
  const result = attempt.error_code === null ? String(attempt.response_status) : errorLabel(attempt.error_code, attempt.response_status);
  return `${delivery.destination_name}, attempt ${attempt.attempt_number}: ${result}`;
}

export function SentTab({ deliveries }: { deliveries: Delivery[] }) {
  const search = useSearchState();
  const sendings = sendingsOf(deliveries);
  const chosen = sendings.find((one) => one.key === search.get('attempt')) ?? sendings[0];
  if (chosen === undefined) {
    return (
      <Blank icon="ring" title="Nothing has been sent yet">
        No delivery of this event has an attempt. Diff shows what a resend would send now.
      </Blank>
    );
  }
  return (
    <>
      <div className="row in">
        <Choice label="Attempt" value={chosen.key} options={sendings.map((one) => ({ value: one.key, label: labelOf(one) }))} />
      </div>
      <SentRequest key={chosen.key} sending={chosen} />
    </>
  );
}

function Choice({ label, value, options }: { label: string; value: string; options: { value: string; label: string }[] }) {
  const search = useSearchState();
  return (
    <select className="field" aria-label={label} value={value} onChange={(event) => search.set({ attempt: event.currentTarget.value }, { replace: true })}>
      {options.map((one) => (
        <option key={one.value} value={one.value} selected={one.value === value}>
          {one.label}
        </option>
      ))}
    </select>
  );
}

function SentRequest({ sending }: { sending: Sending }) {
  const query = useSentRequest(sending.delivery.id, sending.attempt.attempt_number);
  const [isRevealed, setRevealed] = useState(false);
  return (
    <KnownRequest query={query}>
      {(sent) => (
        <div className="stack">
          <div className="in stack">
            {sent.was_sent === false && <Note icon="unverified">The attempt ended before the first byte was sent. This is what it would have sent.</Note>}
            {sent.was_sent === null && <Note icon="unverified">No response came, so it is not known how much of this was sent.</Note>}
            <div className="code-head">
              <code className="cut">
                {sent.method} {sent.url}
              </code>
              <span className="end row">
                <CopyButton text={sent.url} label="Copy the URL" />
                <Menu
                  align="end"
                  items={[
                    { label: 'curl', onSelect: () => void copy(curl(sent.method, sent.url, sent.headers, sent.body, sent.body_base64)) },
                    { label: 'HTTPie', onSelect: () => void copy(httpie(sent.method, sent.url, sent.headers, sent.body, sent.body_base64)) },
                    ...(sent.body_base64 === undefined ? [{ label: 'Raw HTTP', onSelect: () => void copy(rawHttp(sent.method, pathOf(sent.url), sent.headers, sent.body)) }] : []),
                  ]}
                >
                  Copy as
                </Menu>
              </span>
            </div>
            <dl className="kv headers mono">
              {sent.headers.map((header, i) => (
                <div className="kv-row" key={i}>
                  <dt>{visible(header.name)}</dt>
                  <dd>{isSecret(header.name) && header.value !== MASK && !isRevealed ? '••••••••' : visible(header.value)}</dd>
                </div>
              ))}
            </dl>
            <p className="faint small">
              {MASK} replaces what only the server knows, in copies too.{' '}
              <button type="button" className="link" aria-pressed={isRevealed} onClick={() => setRevealed(!isRevealed)}>
                {isRevealed ? 'Hide the sender’s signatures' : 'Reveal the sender’s signatures'}
              </button>
            </p>
          </div>
          <SentBody text={sent.body} base64={sent.body_base64} />
        </div>
      )}
    </KnownRequest>
  );
}

function SentBody({ text, base64 }: { text: string; base64: string | undefined }) {
  const bytes = useMemo(() => bodyBytes(text, base64).length, [text, base64]);
  return <BodyView text={text} base64={base64} bytes={bytes} />;
}

function pathOf(url: string): string {
  try {
    const { pathname, search } = new URL(url);
    return pathname + search;
  } catch {
    return '/';
  }
}

/** The server answers 409 for an attempt whose request is not known. */
function KnownRequest({ query, children }: { query: UseQueryResult<Schemas['SentRequest']>; children: (sent: Schemas['SentRequest']) => ReactNode }) {
  if (query.error instanceof ApiError && query.error.status === 409) {
    return (
      <Blank icon="ring" title="What this attempt sent is not known">
        {query.error.message}
      </Blank>
    );
  }
  return (
    <Gate query={query} what="The request" rows={4}>
      {children}
    </Gate>
  );
}

const RESEND = 'resend.';

export function DiffTab({ event, deliveries, latest }: { event: Event; deliveries: Delivery[]; latest: Delivery[] }) {
  const search = useSearchState();
  const sendings = sendingsOf(deliveries);
  const options = [
    ...sendings.map((one) => ({ value: one.key, label: `Sent to ${labelOf(one)}` })),
    ...latest.map((one) => ({ value: RESEND + one.connection_id, label: `A resend to ${one.destination_name} now` })),
  ];
  const chosen = options.find((one) => one.value === search.get('attempt')) ?? options[0];
  const sending = sendings.find((one) => one.key === chosen?.value);
  if (chosen === undefined) return null;
  return (
    <>
      <div className="row in wrap">
        <span className="muted small">Received, compared with</span>
        <Choice label="Compared with" value={chosen.value} options={options} />
      </div>
      {sending ? <SentDiff key={sending.key} event={event} sending={sending} /> : <ResendDiff key={chosen.value} event={event} connection={chosen.value.slice(RESEND.length)} />}
    </>
  );
}

function SentDiff({ event, sending }: { event: Event; sending: Sending }) {
  const query = useSentRequest(sending.delivery.id, sending.attempt.attempt_number);
  return <KnownRequest query={query}>{(sent) => <Changes event={event} request={sent} />}</KnownRequest>;
}

/** The connection's current transformation, applied by the server. */
function ResendDiff({ event, connection }: { event: Event; connection: string }) {
  const preview = useResendPreview(event.id, connection);
  return (
    <Gate query={preview} what="The request" rows={4}>
      {(made) =>
        made.request === null ? (
          made.transformation_error !== undefined ? (
            <Blank icon="unverified" title="The transformation fails">
              {made.transformation_error}
            </Blank>
          ) : (
            <Blank icon="filtered" title="The filter would not let it pass">
              The current filter does not match; a resend ignores the filter.
            </Blank>
          )
        ) : (
          <Changes event={event} request={made.request} />
        )
      }
    </Gate>
  );
}

function Changes({ event, request }: { event: Event; request: Request }) {
  return (
    <DiffView
      sections={[
        ['headers', diffHeaders(event.header_list, request.headers)],
        ['body', diffBodies(event, request)],
      ]}
    />
  );
}
