/** Sign-in, registration where the server allows it, and accepting an invite. */
import { useState } from 'react';
import { useLocation } from 'wouter';
import { ApiError, call } from '../api/client';
import { queryClient, useStatus } from '../api/queries';
import { Field, Form, text } from '../ui/form';
import { Button, Note } from '../ui/parts';
import { Frame } from './Frame';
import { forgetLinkToken, useLinkToken } from './linkToken';
import { ForgotPassword } from './ResetPassword';

async function entered() {
  await queryClient.invalidateQueries();
}

export function SignIn({ hasInvite }: { hasInvite: boolean }) {
  const status = useStatus();
  const [view, setView] = useState<'sign-in' | 'register' | 'forgot'>('sign-in');
  // Read as early as possible, so that the token leaves the address bar quickly.
  const token = useLinkToken();
  if (view === 'register') return <Register inviteToken={hasInvite ? token : ''} onBack={() => setView('sign-in')} />;
  if (view === 'forgot') return <ForgotPassword onBack={() => setView('sign-in')} />;
  return (
    <Frame title="Sign in">
      {hasInvite && (
        <Note icon="verified">
          You have been invited. Sign in with the invited e-mail address, or{' '}
          <button type="button" className="link" onClick={() => setView('register')}>
            create an account for it
          </button>
          .
        </Note>
      )}
      <Form
        className="gate-form"
        onSubmit={async (values) => {
          await call('POST /api/v1/auth/login', { body: { email: text(values, 'email'), password: String(values.get('password')) } });
        }}
        onDone={() => void entered()}
        footer={(isBusy) => (
          <Button type="submit" kind="primary" large disabled={isBusy}>
            Sign in
          </Button>
        )}
      >
        <Field name="email" label="E-mail" type="email" autoComplete="username" autoFocus />
        <Field name="password" label="Password" type="password" autoComplete="current-password" />
      </Form>
      <p className="row wrap small">
        <button type="button" className="link" onClick={() => setView('forgot')}>
          Forgot password?
        </button>
        {!hasInvite && status.data?.registration === 'open' && (
          <button type="button" className="link" onClick={() => setView('register')}>
            Create an account
          </button>
        )}
      </p>
      <p className="faint small">
        The first start writes the owner’s address and password to <code>first-start.txt</code> in the data directory.
      </p>
    </Frame>
  );
}

/** With an invite the account joins the invite's workspace; without one it gets a workspace of its own. */
function Register({ inviteToken, onBack }: { inviteToken: string; onBack: () => void }) {
  const [, navigate] = useLocation();
  const hasInvite = inviteToken !== '';
  return (
    <Frame title="Create an account">
      <Form
        className="gate-form"
        onSubmit={async (values) => {
          await call('POST /api/v1/auth/register', {
            body: {
              email: text(values, 'email'),
              name: text(values, 'name'),
              password: String(values.get('password')),
              ...(hasInvite ? { invite_token: inviteToken } : { workspace_name: text(values, 'workspace_name') }),
            },
          }).catch((error: unknown) => {
            throw hasInvite && error instanceof ApiError && error.status === 404 ? new ApiError(404, error.code, INVITE_GONE) : error;
          });
        }}
        onDone={() => {
          if (hasInvite) {
            forgetLinkToken();
            navigate('/', { replace: true });
          }
          void entered();
        }}
        footer={(isBusy) => (
          <Button type="submit" kind="primary" large disabled={isBusy}>
            Create account
          </Button>
        )}
      >
        <Field name="name" label="Your name" autoComplete="name" autoFocus />
        <Field name="email" label="E-mail" type="email" autoComplete="username" hint={hasInvite ? 'The address that was invited.' : undefined} />
        <Field name="password" label="Password" type="password" autoComplete="new-password" />
        {!hasInvite && <Field name="workspace_name" label="Name of your workspace" />}
      </Form>
      <p className="faint small">
        <button type="button" className="link" onClick={onBack}>
          Back to sign-in
        </button>
      </p>
    </Frame>
  );
}

const INVITE_GONE = 'This invite was used or withdrawn, has expired, or is for another address. Ask for a new one.';

/** Accepts an invite for somebody who is already signed in. */
export function AcceptInvite({ onDone }: { onDone: () => void }) {
  const [error, setError] = useState<Error | null>(null);
  const [isBusy, setBusy] = useState(false);
  const token = useLinkToken();
  const leave = () => {
    forgetLinkToken();
    onDone();
  };
  const accept = async () => {
    setBusy(true);
    try {
      await call('POST /api/v1/invites/accept', { body: { token } });
      await entered();
      leave();
    } catch (e) {
      setError(e as Error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Frame title="You have been invited">
      <p className="muted">Accepting adds the workspace to yours. You can switch between them at any time.</p>
      {token === '' && (
        <Note icon="unverified" tone="failed">
          The address has no token. Open the full invite link again.
        </Note>
      )}
      {error && (
        <Note icon="unverified" tone="failed">
          {error instanceof ApiError && error.status === 404 ? INVITE_GONE : error.message}
        </Note>
      )}
      <div className="row">
        <Button kind="primary" large disabled={isBusy || token === ''} onClick={() => void accept()}>
          Accept the invite
        </Button>
        <Button large onClick={leave}>
          Not now
        </Button>
      </div>
    </Frame>
  );
}
