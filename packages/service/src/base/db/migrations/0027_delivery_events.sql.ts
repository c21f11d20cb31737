/**
 * Finds the delivery of an event for administrators. Delivered rows are left out, so that recording a success writes no further index: the
 * newest thousand of a subscription are kept, and found among those.
 */
export const DELIVERY_EVENTS = `
create index deliveries_event on deliveries (subscription_id, event_id) where state <> 'delivered';`;
