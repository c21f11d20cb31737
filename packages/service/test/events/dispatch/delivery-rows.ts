import { randomUUID } from "node:crypto";
import type { EventDelivery } from "../../../src/events/dispatch/deliveries.sql.ts";

export const deliveredRow = (subscription_id: string, seq: number): EventDelivery => ({
  subscription_id,
  seq,
  event_id: randomUUID(),
  kind: "message_create",
  entity_id: randomUUID(),
  partition: 0,
  state: "delivered",
  is_replay: false,
  tries: 1,
  taken: 1,
  status: 200,
  reason: null,
  first_time: new Date(),
  next_time: null,
  retry_time: null,
  duration_ms: 1,
  changed_time: new Date(),
});
