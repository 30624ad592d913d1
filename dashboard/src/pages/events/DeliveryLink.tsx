/** Redirects from the id of a delivery, for example from a log line, to the event with that delivery. */
import { Redirect, useParams } from 'wouter';
import { useDelivery } from '../../api/queries';
import { deliveryPath } from '../../lib/deliveryLink';
import { Page } from '../../shell/Page';
import { Gate } from '../../ui/gate';

export function DeliveryLink() {
  const { id } = useParams<{ id: string }>();
  const delivery = useDelivery(id);
  return (
    <Page title="Delivery">
      <Gate query={delivery} what="The delivery" rows={1}>
        {(data) => <Redirect to={deliveryPath(data)} replace />}
      </Gate>
    </Page>
  );
}
