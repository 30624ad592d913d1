/** Name and plan of the workspace, and leaving it. */
import { useMutation } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { call, type Schemas } from '../../api/client';
import { changed, queryClient, usePlans } from '../../api/queries';
import { may } from '../../lib/roles';
import { count } from '../../lib/text';
import { ErrorNote, Field, Form, text } from '../../ui/form';
import { Gate } from '../../ui/gate';
import { Badge, Button, Facts, Panel } from '../../ui/parts';
import { toast } from '../../ui/toast';

export function WorkspaceSettings({ me }: { me: Schemas['Me'] }) {
  const [, navigate] = useLocation();
  const plans = usePlans();
  const leave = useMutation({
    mutationFn: () => call('POST /api/v1/workspaces/{id}/leave', { path: { id: me.workspace.id } }),
    onSuccess: async () => {
      navigate('/');
      toast(`You left ${me.workspace.name}`);
      await queryClient.resetQueries();
    },
  });
  const limit = (value: number | null, unit = '') => (value === null ? 'no limit' : `${count(value)}${unit}`);
  return (
    <>
      <Panel title="Workspace" note={me.role && `you are its ${me.role}`}>
        {may(me.role, 'rename-workspace') ? (
          <Form
            onSubmit={async (values) => {
              await call('PATCH /api/v1/workspaces/{id}', { path: { id: me.workspace.id }, body: { name: text(values, 'name') } });
              await changed('me', 'workspaces');
            }}
            onDone={() => toast('Renamed')}
            footer={(isBusy) => (
              <div>
                <Button type="submit" kind="primary" disabled={isBusy}>
                  Rename
                </Button>
              </div>
            )}
          >
            <Field name="name" label="Name" value={me.workspace.name} />
          </Form>
        ) : (
          <Facts facts={[['Name', me.workspace.name]]} />
        )}
      </Panel>
      <Panel title={<>Plan <Badge>{me.workspace.plan}</Badge></>}>
        <Gate query={plans} what="The plans" rows={3}>
          {(data) => {
            const plan = data.items.find((one) => one.name === me.workspace.plan);
            return plan === undefined ? (
              <p className="muted">This plan is not in the catalogue.</p>
            ) : (
              <Facts
                facts={[
                  ['Events a month', limit(plan.limits.events_per_month)],
                  ['Requests a minute and source', limit(plan.limits.ingest_per_minute_per_source)],
                  ['API requests a minute', limit(plan.limits.api_requests_per_minute)],
                  ['Sources', limit(plan.limits.sources)],
                  ['Events are kept', limit(plan.limits.retention_days, ' days')],
                ]}
              />
            );
          }}
        </Gate>
      </Panel>
      <Panel title="Leave">
        <div className="row wrap">
          <p className="muted grow">You lose access to this workspace. Its last owner cannot leave: transfer it first.</p>
          <Button kind="danger" disabled={leave.isPending} onClick={() => leave.mutate()}>
            Leave workspace
          </Button>
        </div>
        {leave.error && <ErrorNote error={leave.error} />}
      </Panel>
    </>
  );
}
