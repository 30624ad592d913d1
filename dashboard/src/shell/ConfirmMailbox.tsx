/** The page that the link in a mail to an unconfirmed mailbox opens. Opening it changes nothing; the button confirms. */
import { useState } from 'react';
import { call } from '../api/client';
import { Form } from '../ui/form';
import { Button, Note } from '../ui/parts';
import { Frame } from './Frame';
import { MailedLink, orGone } from './MailedLink';
import { forgetLinkToken, useLinkToken } from './linkToken';

export function ConfirmMailbox() {
  const token = useLinkToken();
  const [isConfirmed, setConfirmed] = useState(false);
  if (isConfirmed) {
    return (
      <Frame title="Mailbox confirmed">
        <div role="status">
          <Note icon="delivered">Alerts about failed deliveries will be sent to your mailbox. You can close this page.</Note>
        </div>
      </Frame>
    );
  }
  return (
    <Frame title="Confirm your mailbox">
      <MailedLink token={token}>
        <Form
          className="gate-form"
          onSubmit={async () => {
            await orGone(call('POST /api/v1/mailbox-confirmations', { body: { token } }), 'This link was used, is older than a week, or was replaced by a newer one.');
          }}
          onDone={() => {
            forgetLinkToken();
            setConfirmed(true);
          }}
          footer={(isBusy) => (
            <Button type="submit" kind="primary" large disabled={isBusy}>
              Send alerts to my mailbox
            </Button>
          )}
        >
          <p>Somebody wants alerts about failed deliveries of webhooks to be sent to the mailbox that got the link. If you do not want them, close this page.</p>
        </Form>
      </MailedLink>
    </Frame>
  );
}
