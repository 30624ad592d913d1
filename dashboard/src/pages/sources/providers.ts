/** The senders whose signatures can be checked, and the fields that each needs. */
import type { Schemas } from '../../api/client';

/** Other names of senders in the API. */
const BY_OTHER_NAME = { stripe: 'provider_payments', github: 'provider_code_host', shopify: 'provider_commerce' } as const;

type Name = Schemas['VerificationConfig']['provider'];

export type Provider = Exclude<Name, keyof typeof BY_OTHER_NAME>;

/** The sender that a source's settings name. */
export function providerOf(name: Name): Provider {
  return name in BY_OTHER_NAME ? BY_OTHER_NAME[name as keyof typeof BY_OTHER_NAME] : (name as Provider);
}

export type ProviderField = {
  name: string;
  label: string;
  isSecret?: boolean;
  isOptional?: boolean;
  options?: string[];
  number?: boolean;
  hint?: string;
  initial?: string;
};

export const PROVIDER_NAMES: Record<Provider, string> = {
  none: 'No check',
  provider_payments: 'Stripe',
  provider_code_host: 'GitHub',
  provider_commerce: 'Shopify',
  generic_hmac: 'HMAC',
  basic_auth: 'Basic authentication',
  api_key: 'API key in a header',
  standard_webhooks: 'Standard Webhooks',
  slack: 'Slack',
  gitlab: 'GitLab',
  twilio: 'Twilio',
  square: 'Square',
  paddle: 'Paddle',
  zoom: 'Zoom',
  linear: 'Linear',
  typeform: 'Typeform',
  discord: 'Discord',
  unreadable: 'Unreadable',
};

const SECRET: ProviderField[] = [
  { name: 'secret', label: 'Signing secret', isSecret: true },
  { name: 'previous_secret', label: 'Previous secret', isSecret: true, isOptional: true, hint: 'While rotating: both are accepted.' },
];

export const PROVIDER_FIELDS: Record<Exclude<Provider, 'unreadable'>, ProviderField[]> = {
  none: [],
  provider_payments: SECRET,
  provider_code_host: SECRET,
  provider_commerce: SECRET,
  standard_webhooks: SECRET,
  slack: SECRET,
  gitlab: SECRET,
  twilio: SECRET,
  square: SECRET,
  paddle: SECRET,
  zoom: SECRET,
  linear: SECRET,
  typeform: SECRET,
  discord: [{ name: 'public_key', label: 'Public key', hint: '64 hex digits, from the application’s page.' }],
  generic_hmac: [
    ...SECRET,
    { name: 'header', label: 'Signature header', initial: 'X-Signature' },
    { name: 'algorithm', label: 'Algorithm', options: ['sha256', 'sha1'] },
    { name: 'encoding', label: 'Encoding', options: ['hex', 'base64'] },
    { name: 'timestamp_header', label: 'Timestamp header', isOptional: true, hint: 'Unix seconds. With it, the signature covers timestamp.body.' },
    { name: 'tolerance_secs', label: 'Tolerance in seconds', number: true, isOptional: true, initial: '300' },
    { name: 'signed_content', label: 'What is signed', options: ['', 'body', 'timestamp.body'], isOptional: true, hint: 'Empty: timestamp.body if there is a timestamp header, else body.' },
  ],
  basic_auth: [
    { name: 'username', label: 'User name' },
    { name: 'password', label: 'Password', isSecret: true },
  ],
  api_key: [
    { name: 'header', label: 'Header', initial: 'X-Api-Key' },
    { name: 'key', label: 'Key', isSecret: true },
  ],
};
