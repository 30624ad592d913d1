/** How a source checks who sent a request. */
import { useState } from 'react';
import { Link } from 'wouter';
import { call, type Schemas } from '../../api/client';
import { changed, useEvents } from '../../api/queries';
import { ConfigFields, configOf } from '../../ui/ConfigFields';
import { Form } from '../../ui/form';
import { Button, Note, Panel } from '../../ui/parts';
import { toast } from '../../ui/toast';
import { PROVIDER_FIELDS, PROVIDER_NAMES, type Provider, type ProviderField } from './providers';
import { VerificationTest } from './VerificationTest';

type Choice = Exclude<Provider, 'unreadable'>;

/** Whether the form has no secrets. The API never returns the stored ones, so an untouched form has none. */
function hasNoSecret(config: Record<string, unknown>, fields: ProviderField[]): boolean {
  return fields.filter((field) => field.isSecret).every((field) => (config[field.name] ?? '') === '');
}

export function VerificationForm({ source }: { source: Schemas['Source'] }) {
  const saved = source.verification_config;
  const [provider, setProvider] = useState<Choice>(saved.provider === 'unreadable' ? 'none' : saved.provider);
  const fields = PROVIDER_FIELDS[provider];
  const refused = useEvents({ source_id: source.id, verification_status: 'failed', limit: 1 });
  const last = refused.data?.items[0];
  const form = `verification-${source.id}`;
  const enteredConfig = () => {
    const config = { provider, ...configOf(new FormData(document.getElementById(form) as HTMLFormElement), 'verification_config', fields) };
    return saved.provider === provider && hasNoSecret(config, fields) ? undefined : config;
  };
  return (
    <div className="dest">
      <div>
        <Panel title="Verification" note="a request that fails is answered 401, stored, and not delivered">
          <Form
            id={form}
            onSubmit={async (values) => {
              await call('PATCH /api/v1/sources/{id}', {
                path: { id: source.id },
                body: { verification_config: { provider, ...configOf(values, 'verification_config', fields) } },
              });
              await changed('sources');
            }}
            onDone={() => toast(provider === 'none' ? 'Requests are no longer checked' : `Requests are checked as ${PROVIDER_NAMES[provider]} signs them`)}
            footer={(isBusy) => (
              <div>
                <Button type="submit" kind="primary" disabled={isBusy}>
                  Save verification
                </Button>
              </div>
            )}
          >
            {saved.provider === 'unreadable' && (
              <Note icon="unverified" tone="failed">
                The server cannot read the stored settings: the master key has changed, or they are damaged. Enter them again.
              </Note>
            )}
            <fieldset className="cards">
              <legend>Sender</legend>
              {(Object.keys(PROVIDER_FIELDS) as Choice[]).map((one) => (
                <label key={one} className={one === provider ? 'card on' : 'card'}>
                  <input type="radio" name="provider" value={one} checked={one === provider} onChange={() => setProvider(one)} />
                  {PROVIDER_NAMES[one]}
                </label>
              ))}
            </fieldset>
            <div key={provider} className="config">
              <ConfigFields within="verification_config" fields={fields} saved={saved.provider === provider ? (saved as Record<string, unknown>) : undefined} />
            </div>
          </Form>
        </Panel>
      </div>
      <div>
        <VerificationTest source={source} config={enteredConfig} />
        <Panel title="Not verified">
          {last === undefined ? (
            <p className="muted">No stored event failed the check.</p>
          ) : (
            <div className="stack">
              <p>{last.verification_reason}</p>
              <p className="faint small">The newest of {refused.data?.total}. They are stored, so a resend can still deliver them.</p>
              <Link className="link" href={`/events?source=${source.id}&verified=failed`}>
                Open them in Events
              </Link>
            </div>
          )}
        </Panel>
      </div>
    </div>
  );
}
