/** The signed-in person: password, sessions, and deleting the account. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, call, type Schemas } from '../../api/client';
import { changed, queryClient, useSessions } from '../../api/queries';
import { ErrorNote, Field, Form } from '../../ui/form';
import { Gate } from '../../ui/gate';
import { Dialog } from '../../ui/overlay';
import { Ago, Button, Facts, Panel } from '../../ui/parts';
import { toast } from '../../ui/toast';
import { signOut } from '../../shell/session';

export function Account({ me }: { me: Schemas['Me'] }) {
  return (
    <>
      <Panel title="You" end={<Button onClick={() => void signOut()}>Sign out</Button>}>
        <Facts
          facts={[
            ['Name', me.user?.name ?? '–'],
            ['E-mail', me.user?.email ?? '–'],
          ]}
        />
      </Panel>
      <Panel title="Password">
        <Form
          onSubmit={async (values) => {
            if (values.get('new_password') !== values.get('again')) {
              throw new ApiError(422, 'validation_failed', 'The passwords do not match.', [{ field: 'again', message: 'does not match the new password.' }]);
            }
            await call('POST /api/v1/auth/password', { body: { current_password: String(values.get('current_password')), new_password: String(values.get('new_password')) } });
            await changed('sessions');
          }}
          onDone={() => toast('Password changed. Other sessions have ended')}
          footer={(isBusy) => (
            <div>
              <Button type="submit" kind="primary" disabled={isBusy}>
                Change password
              </Button>
            </div>
          )}
        >
          <Field name="current_password" label="Current password" type="password" autoComplete="current-password" />
          <Field name="new_password" label="New password" type="password" autoComplete="new-password" />
          <Field name="again" label="New password, again" type="password" autoComplete="new-password" />
        </Form>
      </Panel>
      <Sessions />
      <DeleteAccount email={me.user?.email ?? ''} />
    </>
  );
}

function DeleteAccount({ email }: { email: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Panel title="Delete your account">
      <div className="row wrap">
        <p className="muted grow">Your sessions, memberships and open invites end. API keys that you created stay valid. The last owner of a workspace must first hand it over or delete it.</p>
        <Button kind="danger" onClick={() => setOpen(true)}>
          Delete account
        </Button>
      </div>
      {isOpen && (
        <Dialog title={`Delete the account ${email}?`} onClose={() => setOpen(false)}>
          <Form
            onSubmit={(values) =>
              call('DELETE /api/v1/auth/account', { body: { password: String(values.get('password')) } }).catch((error: unknown) => {
                throw error instanceof ApiError && error.status === 403
                  ? new ApiError(422, error.code, error.message, [{ field: 'password', message: 'This is not your password.' }])
                  : error;
              })
            }
            onDone={() => {
              setOpen(false);
              toast('Your account is deleted');
              void queryClient.resetQueries();
            }}
            footer={(isBusy) => (
              <footer>
                <Button onClick={() => setOpen(false)}>Keep it</Button>
                <Button type="submit" kind="danger" disabled={isBusy}>
                  Delete account
                </Button>
              </footer>
            )}
          >
            <p>This cannot be undone.</p>
            <Field name="password" label="Your password" type="password" autoComplete="current-password" autoFocus />
          </Form>
        </Dialog>
      )}
    </Panel>
  );
}

/** `Firefox on Linux`, from a header that says much more. */
export function browserOf(userAgent: string): string {
  const browser = [
    ['Edg/', 'Edge'],
    ['Firefox/', 'Firefox'],
    ['Chrome/', 'Chrome'],
    ['Safari/', 'Safari'],
  ].find(([mark]) => userAgent.includes(mark ?? ''))?.[1];
  const system = [
    ['Android', 'Android'],
    ['iPhone', 'iOS'],
    ['Windows', 'Windows'],
    ['Mac OS', 'macOS'],
    ['Linux', 'Linux'],
  ].find(([mark]) => userAgent.includes(mark ?? ''))?.[1];
  return browser === undefined ? userAgent.slice(0, 60) || 'Unknown program' : `${browser}${system === undefined ? '' : ` on ${system}`}`;
}

function Sessions() {
  const sessions = useSessions();
  const end = useMutation({
    mutationFn: (id: string) => call('DELETE /api/v1/auth/sessions/{id}', { path: { id } }),
    onSuccess: () => {
      toast('The session has ended');
      void changed('sessions');
    },
  });
  return (
    <Panel title="Sessions" flush>
      {end.error && <ErrorNote error={end.error} />}
      <Gate query={sessions} what="The sessions" rows={2}>
        {(data) => (
          <table className="fits">
            <thead>
              <tr>
                <th>Where</th>
                <th className="wide">Address</th>
                <th className="c-at">Last seen</th>
                <th className="c-act" />
              </tr>
            </thead>
            <tbody>
              {data.items.map((session) => (
                <tr key={session.id}>
                  <td className="cut" title={session.user_agent}>
                    {browserOf(session.user_agent)} {session.is_current && <span className="faint small">this one</span>}
                  </td>
                  <td className="wide mono muted">{session.address}</td>
                  <td className="muted">
                    <Ago time={session.last_seen_at} />
                  </td>
                  <td className="r">
                    {!session.is_current && (
                      <Button kind="quiet" onClick={() => end.mutate(session.id)}>
                        End
                      </Button>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Gate>
    </Panel>
  );
}
