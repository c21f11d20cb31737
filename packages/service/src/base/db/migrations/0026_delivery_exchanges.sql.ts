/**
 * The last request of a webhook's delivery with its response, as JSON, and how long it took. The index finds the few rows that have an exchange.
 */
export const DELIVERY_EXCHANGES = `
alter table deliveries
  add column duration_ms integer,
  add column exchange    text;
create index deliveries_exchanges on deliveries (subscription_id, seq) where exchange is not null;`;
