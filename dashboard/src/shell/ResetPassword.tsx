/** The form that requests a mailed link, and the page that the link opens. */
import { useState } from 'react';
import { useLocation } from 'wouter';
import { ApiError, call } from '../api/client';
import { queryClient } from '../api/queries';
import { Field, Form, text } from '../ui/form';
import { Button, Note } from '../ui/parts';
import { toast } from '../ui/toast';
import { Frame } from './Frame';
import { MailedLink, orGone } from './MailedLink';
import { forgetLinkToken, useLinkToken } from './linkToken';

export function ForgotPassword({ onBack }: { onBack: () => void }) {
  const [isSent, setSent] = useState(false);
  return (
    <Frame title="Forgot password">
      {isSent ? (
        <div role="status">
          <Note icon="delivered">
            If there is an account with this address, a link is on its way. It works once, within an hour. No mail? The operator of this server can help: its log says how.
          </Note>
        </div>
      ) : (
        <Form
          className="gate-form"
          onSubmit={async (values) => {
            await call('POST /api/v1/auth/password-reset', { body: { email: text(values, 'email') } });
          }}
          onDone={() => setSent(true)}
          footer={(isBusy) => (
            <Button type="submit" kind="primary" large disabled={isBusy}>
              Send me a link
            </Button>
          )}
        >
          <Field name="email" label="E-mail" type="email" autoComplete="username" autoFocus />
        </Form>
      )}
      <p className="small">
        <button type="button" className="link" onClick={onBack}>
          Back to sign-in
        </button>
      </p>
    </Frame>
  );
}

export function ResetPassword() {
  const token = useLinkToken();
  const [, navigate] = useLocation();
  const leave = () => {
    forgetLinkToken();
    navigate('/', { replace: true });
    // If the password was set, this browser's own session has ended too.
    void queryClient.resetQueries();
  };
  return (
    <Frame title="Set a new password">
      <MailedLink token={token}>
        <Form
          className="gate-form"
          onSubmit={async (values) => {
            if (values.get('password') !== values.get('again')) {
              throw new ApiError(422, 'validation_failed', 'The passwords do not match.', [{ field: 'again', message: 'does not match the new password.' }]);
            }
            await orGone(
              call('POST /api/v1/auth/password-reset/confirm', { body: { token, password: String(values.get('password')) } }),
              'This link was used or is older than an hour. Ask for a new one on the sign-in page.',
            );
          }}
          onDone={() => {
            leave();
            toast('The password is set. Sign in with it');
          }}
          footer={(isBusy) => (
            <Button type="submit" kind="primary" large disabled={isBusy}>
              Set password
            </Button>
          )}
        >
          <Field name="password" label="New password" type="password" autoComplete="new-password" autoFocus />
          <Field name="again" label="New password, again" type="password" autoComplete="new-password" />
        </Form>
      </MailedLink>
      <p className="faint small">
        All sessions of the account end.{' '}
        <button type="button" className="link" onClick={leave}>
          Go to the sign-in page
        </button>
      </p>
    </Frame>
  );
}
