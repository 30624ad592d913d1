/** What is shown instead of a workspace that the operator has suspended. */
import { pageWorkspace, type Schemas } from '../api/client';
import { visible } from '../lib/text';
import { Frame } from './Frame';
import { WorkspaceChoice } from './NoMember';

export function Suspended({ suspension }: { suspension: Schemas['Suspension'] }) {
  return (
    <Frame title="This workspace is suspended">
      <p className="muted">
        The operator of this server has suspended it. Webhooks are refused and deliveries wait until it is resumed; nothing that was stored is lost.
      </p>
      {suspension.reason !== '' && <p>{visible(suspension.reason)}</p>}
      <WorkspaceChoice except={pageWorkspace()} />
    </Frame>
  );
}
