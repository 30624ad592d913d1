/** Dismisses the dead letters of a filter after showing how many there are, and undoes dismissals. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { changed, useDeadLetters } from '../../api/queries';
import { inQuery, mark, type Filter } from '../../lib/deadLetters';
import { plural } from '../../lib/text';
import { ErrorNote } from '../../ui/form';
import { Gate } from '../../ui/gate';
import { Dialog } from '../../ui/overlay';
import { Button } from '../../ui/parts';
import { toast } from '../../ui/toast';

const failures = (number: number) => plural(number, 'failed delivery', 'failed deliveries');

async function takeBack(filter: Filter): Promise<void> {
  const marked = await mark('undismiss', filter);
  await changed('dlq');
  toast(`${failures(marked)} listed as unresolved again`);
}

type DialogProps = { filter: Filter; what: string; onClose: () => void };

/** @param onUndoFailed is called when the toast's Undo fails, after the dialog was closed */
export function DismissDialog({ filter, what, onClose, onUndoFailed }: DialogProps & { onUndoFailed: (error: Error) => void }) {
  const [soFar, setSoFar] = useState(0);
  const counted = useDeadLetters({ ...inQuery(filter), resolved: 'false', limit: 1 });
  const dismiss = useMutation({
    mutationFn: () => mark('dismiss', filter, setSoFar),
    onSuccess: (marked) => {
      void changed('dlq');
      toast(`${failures(marked)} dismissed`, () => void takeBack(filter).catch(onUndoFailed));
      onClose();
    },
  });
  return (
    <Dialog title="Dismiss these failures?" onClose={onClose}>
      <div className="in stack">
        <Gate query={counted} what="The count" rows={1}>
          {({ total, total_is_exact }) => (
            <p>
              {what}:{' '}
              <b className="strong">
                {total_is_exact === false && 'at least '}
                {failures(total)}
              </b>
              .
            </p>
          )}
        </Gate>
        <p className="muted">Nothing is sent, and the events stay. Dismissed failures are listed under Resolved.</p>
        <p className="muted">Undo reverts all dismissals of this selection, including earlier ones.</p>
        {dismiss.isPending && soFar > 0 && <p role="status">{failures(soFar)} so far.</p>}
        {dismiss.error && <ErrorNote error={dismiss.error} />}
      </div>
      <footer>
        <Button onClick={onClose}>Keep them</Button>
        <Button kind="danger" disabled={dismiss.isPending || counted.data === undefined || counted.data.total === 0} onClick={() => dismiss.mutate()}>
          {dismiss.isPending ? 'Dismissing…' : counted.data === undefined ? 'Dismiss' : `Dismiss ${failures(counted.data.total)}`}
        </Button>
      </footer>
    </Dialog>
  );
}

export function UndismissDialog({ filter, what, onClose }: DialogProps) {
  const undismiss = useMutation({
    mutationFn: () => takeBack(filter),
    onSuccess: onClose,
  });
  return (
    <Dialog title="Undo the dismissals?" onClose={onClose}>
      <div className="in stack">
        <p>{what}: dismissed failures are listed as unresolved again. Those delivered since stay resolved.</p>
        {undismiss.error && <ErrorNote error={undismiss.error} />}
      </div>
      <footer>
        <Button onClick={onClose}>Keep them dismissed</Button>
        <Button kind="primary" disabled={undismiss.isPending} onClick={() => undismiss.mutate()}>
          {undismiss.isPending ? 'Undoing…' : 'Undo'}
        </Button>
      </footer>
    </Dialog>
  );
}
