/** Sign-in, registration where the server allows it, and accepting an invite. */
import { useEffect, useState, type ReactNode } from 'react';
import { ApiError, call } from '../api/client';
import { queryClient } from '../api/queries';
import { Field, Form, text } from '../ui/form';
import { Icon } from '../ui/icons';
import { Button, Note, ThemeButton } from '../ui/parts';

function Frame({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} | Sluice`;
  }, [title]);
  return (
    <main className="gate">
      <div className="gate-theme">
        <ThemeButton />
      </div>
      <div className="gate-in">
        <div className="gate-brand">
          <Icon name="logo" size={28} />
          <span>Sluice</span>
        </div>
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}

async function entered() {
  await queryClient.invalidateQueries();
}

export function SignIn({ hasInvite }: { hasInvite: boolean }) {
  const [isRegistering, setRegistering] = useState(false);
  return isRegistering ? (
    <Register hasInvite={hasInvite} onBack={() => setRegistering(false)} />
  ) : (
    <Frame title="Sign in">
      {hasInvite && <Note icon="verified">Sign in with the invited e-mail address to accept the invite.</Note>}
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
      <p className="faint small">
        The first start writes the owner’s address and password to <code>first-start.txt</code> in the data directory.{' '}
        <button type="button" className="link" onClick={() => setRegistering(true)}>
          Create an account
        </button>
      </p>
    </Frame>
  );
}

function Register({ hasInvite, onBack }: { hasInvite: boolean; onBack: () => void }) {
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
              workspace_name: text(values, 'workspace_name'),
            },
          });
        }}
        onDone={() => void entered()}
        footer={(isBusy) => (
          <Button type="submit" kind="primary" large disabled={isBusy}>
            Create account
          </Button>
        )}
      >
        <Field name="name" label="Your name" autoComplete="name" autoFocus />
        <Field name="email" label="E-mail" type="email" autoComplete="username" hint={hasInvite ? 'The address that was invited.' : undefined} />
        <Field name="password" label="Password" type="password" autoComplete="new-password" />
        <Field name="workspace_name" label="Name of your workspace" />
      </Form>
      <p className="faint small">
        <button type="button" className="link" onClick={onBack}>
          Back to sign-in
        </button>
      </p>
    </Frame>
  );
}

/** Takes the token from the address's fragment, which browsers do not send to servers. */
export function AcceptInvite({ onDone }: { onDone: () => void }) {
  const [error, setError] = useState<Error | null>(null);
  const [isBusy, setBusy] = useState(false);
  const token = location.hash.slice(1);
  const accept = async () => {
    setBusy(true);
    try {
      await call('POST /api/v1/invites/accept', { body: { token } });
      await entered();
      onDone();
    } catch (e) {
      setError(e as Error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Frame title="You are invited">
      <p className="muted">Accepting adds the workspace to yours. You can switch between them at any time.</p>
      {error && (
        <Note icon="unverified" tone="failed">
          {error instanceof ApiError && error.status === 404 ? 'This invite was used, withdrawn or has expired, or it is for another address. Ask for a new one.' : error.message}
        </Note>
      )}
      <div className="row">
        <Button kind="primary" large disabled={isBusy || token === ''} onClick={() => void accept()}>
          Accept the invite
        </Button>
        <Button large onClick={onDone}>
          Not now
        </Button>
      </div>
    </Frame>
  );
}
