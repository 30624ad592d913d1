/** The response that a source sends once it has stored an event. */
import { useState } from 'react';
import { call, type Schemas } from '../../api/client';
import { changed } from '../../api/queries';
import { visible } from '../../lib/text';
import { Field, Form, text } from '../../ui/form';
import { useEdits } from '../../ui/KeepEdits';
import { Button, Panel } from '../../ui/parts';
import { toast } from '../../ui/toast';

type Source = Schemas['Source'];

const EXAMPLE_ID = '0197a3c2-4f10-7c3a-9d0e-5b1f6a2c8d44';
/** The server's own response, as a template. */
export const DEFAULT_BODY = '{"status":"SUCCESS","message":"Event accepted","request_id":"{{request_id}}"}';

export function ResponseForm({ source }: { source: Source }) {
  const saved = source.response_config;
  const edits = useEdits();
  const [shown, setShown] = useState({ status: String(saved?.status ?? 200), type: saved?.content_type ?? 'json', body: saved?.body ?? DEFAULT_BODY });
  const save = async (config: Schemas['ResponseConfig'] | null) => {
    await call('PATCH /api/v1/sources/{id}', { path: { id: source.id }, body: { response_config: config } });
    await changed('sources');
  };
  return (
    <div className="dest">
      <div>
        <Panel title="Response" note="sent once the event is safe on disk">
          <Form
            onSubmit={(values) =>
              save({
                status: Number(text(values, 'response_config.status')),
                content_type: text(values, 'response_config.content_type') as 'json' | 'text',
                body: String(values.get('response_config.body')),
              })
            }
            onDone={() => toast('Saved. The next request gets this response')}
            footer={(isBusy) => (
              <div className="row">
                <Button type="submit" kind="primary" disabled={isBusy}>
                  Save response
                </Button>
                {saved !== null && (
                  <Button disabled={isBusy} onClick={() => void save(null).then(() => {
                        edits.clean();
                        toast('The default response is restored');
                      })}>
                    Restore the default
                  </Button>
                )}
              </div>
            )}
          >
            <Field name="response_config.status" label="Status" type="number" min={100} max={599} value={saved?.status ?? 200} onChange={(status) => setShown({ ...shown, status })} />
            <Field
              name="response_config.content_type"
              label="Type"
              value={saved?.content_type ?? 'json'}
              options={[
                { value: 'json', label: 'JSON' },
                { value: 'text', label: 'Plain text' },
              ]}
              onChange={(type) => setShown({ ...shown, type: type as 'json' | 'text' })}
            />
            <Field name="response_config.body" label="Body" rows={6} mono value={saved?.body ?? DEFAULT_BODY} hint="{{request_id}} stands for the event’s id." onChange={(body) => setShown({ ...shown, body })} />
          </Form>
        </Panel>
      </div>
      <div>
        <Panel title="What a sender gets" note={saved === null ? 'the default' : undefined}>
          <pre className="resp wrap">
            {`HTTP/1.1 ${shown.status}\ncontent-type: ${shown.type === 'json' ? 'application/json' : 'text/plain'}; charset=utf-8\n\n`}
            {visible(shown.body.replaceAll('{{request_id}}', EXAMPLE_ID))}
          </pre>
        </Panel>
      </div>
    </div>
  );
}
