/** Sends one request to a destination through the delivery code, and shows that request and the response. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Schemas } from '../../api/client';
import { useConnections, useSourcesById } from '../../api/queries';
import { headerLine } from '../../lib/headers';
import { formatJson } from '../../lib/json';
import { visible } from '../../lib/text';
import { ErrorNote } from '../../ui/form';
import { Icon } from '../../ui/icons';
import { Button, Panel, Segments } from '../../ui/parts';

type Test = Schemas['DestinationTest'];

/** Its value is `sample`, or `sample:` or `latest:` followed by the id of a connection. */
type Choice = { value: string; label: string; connection?: Schemas['Connection']; isLatest?: boolean };

export function TestDelivery({ destination }: { destination: Schemas['Destination'] }) {
  const choices = useChoices(destination.id);
  const [value, setValue] = useState('sample');
  const test = useMutation({
    mutationFn: async (): Promise<Test> => {
      const choice = choices.find((one) => one.value === value);
      const body: Schemas['DestinationTestRequest'] = {};
      if (choice?.connection) body.connection_id = choice.connection.id;
      if (choice?.connection && choice.isLatest) {
        const latest = await call('GET /api/v1/events', { query: { source_id: choice.connection.source_id, limit: 1 } });
        if (latest.items[0] === undefined) throw new Error('The source has no events yet. Send a sample instead.');
        body.event_id = latest.items[0].id;
      }
      return call('POST /api/v1/destinations/{id}/test', { path: { id: destination.id }, body });
    },
  });
  return (
    <Panel title="Test delivery" note="not stored, not counted, not tried again">
      <div className="stack">
        <div className="row wrap">
          <select className="field grow" aria-label="What to send" value={value} onChange={(event) => setValue(event.currentTarget.value)}>
            {choices.map((one) => (
              <option key={one.value} value={one.value} selected={one.value === value}>
                {one.label}
              </option>
            ))}
          </select>
          <Button disabled={test.isPending} onClick={() => test.mutate()}>
            {test.isPending ? 'Waiting for the response…' : 'Send test delivery'}
          </Button>
        </div>
        {destination.status === 'paused' && <p className="faint small">The destination is paused; a test is sent anyway.</p>}
        {test.error && <ErrorNote error={test.error} />}
        {test.data && !test.isPending && <Result test={test.data} />}
      </div>
    </Panel>
  );
}

function useChoices(destinationId: string): Choice[] {
  const connections = useConnections({ destination_id: destinationId });
  const own = connections.data?.items ?? [];
  const sources = useSourcesById(own.map((one) => one.source_id));
  const choices: Choice[] = [{ value: 'sample', label: 'A sample' }];
  for (const connection of own) {
    const name = sources.get(connection.source_id)?.name ?? 'a source';
    choices.push({ value: `latest:${connection.id}`, label: `Latest event of ${name}`, connection, isLatest: true });
    choices.push({ value: `sample:${connection.id}`, label: `A sample of ${name}`, connection });
  }
  return choices;
}

function Result({ test }: { test: Test }) {
  const [side, setSide] = useState<'answer' | 'sent'>('answer');
  const answered = test.response === null ? '' : `${test.response.status} `;
  return (
    <>
      <div className={`verdict ${test.succeeded ? '' : 'bad'}`} role="status">
        <Icon name={test.succeeded ? 'delivered' : 'unverified'} />
        <div>
          <h2>{test.succeeded ? `Delivered: ${answered}in ${test.latency_ms} ms` : 'A delivery would fail'}</h2>
          {!test.succeeded && (
            <p>
              {test.error_message}. After {test.latency_ms} ms. <code>{test.error_code}</code>
            </p>
          )}
        </div>
      </div>
      <Segments
        label="Side"
        value={side}
        options={[
          { value: 'answer', label: 'Response' },
          { value: 'sent', label: 'Sent' },
        ]}
        onChange={setSide}
      />
      <pre className="raw">{visible(side === 'answer' ? answerText(test) : sentText(test))}</pre>
    </>
  );
}

function answerText({ response }: Test): string {
  if (response === null) return 'No response came.';
  return [`HTTP/1.1 ${response.status}`, ...response.headers.map(headerLine), '', response.body].join('\n');
}

function sentText({ request }: Test): string {
  if (request === null) return 'Nothing was sent.';
  const body = request.body_base64 === undefined ? (formatJson(request.body) ?? request.body) : '(binary)';
  return [`${request.method} ${request.url}`, ...request.headers.map(headerLine), '', body].join('\n');
}
