/** How a source checks who sent a request. */
import { useState } from 'react';
import { Link } from 'wouter';
import { call, type Schemas } from '../../api/client';
import { changed, useEvents } from '../../api/queries';
import { ConfigFields, configOf } from '../../ui/ConfigFields';
import { Form } from '../../ui/form';
import { Button, Note, Panel } from '../../ui/parts';
import { toast } from '../../ui/toast';
import { PROVIDER_FIELDS, PROVIDER_NAMES, providerOf, type Provider, type ProviderField } from './providers';
import { VerificationTest } from './VerificationTest';

type Choice = Exclude<Provider, 'unreadable'>;

/**
 * What to test: the saved settings if the form still has them, or else what was entered. The API never returns a stored secret and takes no
 * config without its secrets, so changes to other fields can be tested only with the secrets entered again.
 */
export function trialOf(provider: Choice, entered: Record<string, unknown>, saved: Record<string, unknown>): 'saved' | 'needs-secret' | Record<string, unknown> {
  const fields = PROVIDER_FIELDS[provider];
  const config = { provider, ...entered };
  const secrets = fields.filter((field) => field.isSecret && !field.isOptional);
  const isMissing = (field: ProviderField) => (entered[field.name] ?? '') === '';
  if (saved.provider !== provider || fields.some((field) => field.isSecret && !isMissing(field))) return config;
  const isUntouched = fields.every((field) => field.isSecret || String(entered[field.name] ?? '') === String(saved[field.name] ?? ''));
  if (isUntouched) return 'saved';
  return secrets.some(isMissing) ? 'needs-secret' : config;
}

export function VerificationForm({ source }: { source: Schemas['Source'] }) {
  const saved = { ...source.verification_config, provider: providerOf(source.verification_config.provider) };
  const [provider, setProvider] = useState<Choice>(saved.provider === 'unreadable' ? 'none' : saved.provider);
  const fields = PROVIDER_FIELDS[provider];
  const refused = useEvents({ source_id: source.id, verification_status: 'failed', limit: 1 });
  const last = refused.data?.items[0];
  const form = `verification-${source.id}`;
  const trial = () => trialOf(provider, configOf(new FormData(document.getElementById(form) as HTMLFormElement), 'verification_config', fields), saved as Record<string, unknown>);
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
        <VerificationTest source={source} trial={trial} />
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
