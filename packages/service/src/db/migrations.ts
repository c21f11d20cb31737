import type { Migration } from "@parley/database";
import { ACCOUNTS } from "./migrations/accounts.ts";
import { AGENTS } from "./migrations/agents.ts";
import { CONVERSATIONS } from "./migrations/conversations.ts";
import { CSAT } from "./migrations/csat.ts";
import { DELIVERIES } from "./migrations/deliveries.ts";
import { FACTS } from "./migrations/facts.ts";
import { IDEMPOTENCY } from "./migrations/idempotency.ts";
import { JOBS } from "./migrations/jobs.ts";
import { NUMBERS } from "./migrations/numbers.ts";
import { OUTBOUND } from "./migrations/outbound.ts";
import { RANKS } from "./migrations/ranks.ts";
import { RENEWALS } from "./migrations/renewals.ts";
import { REPORTS } from "./migrations/reports.ts";
import { SEARCH } from "./migrations/search.ts";
import { SETTINGS } from "./migrations/settings.ts";
import { SUBSCRIPTIONS } from "./migrations/subscriptions.ts";
import { UPLOADS } from "./migrations/uploads.ts";
import { WEBHOOKS } from "./migrations/webhooks.ts";

export const SERVICE_SCHEMA = "parley_service";

export const SERVICE_MIGRATIONS: readonly Migration[] = [
  { id: 1, name: "accounts", sql: ACCOUNTS },
  { id: 2, name: "conversations", sql: CONVERSATIONS },
  { id: 3, name: "subscriptions", sql: SUBSCRIPTIONS },
  { id: 4, name: "agents", sql: AGENTS },
  { id: 5, name: "csat", sql: CSAT },
  { id: 6, name: "uploads", sql: UPLOADS },
  { id: 7, name: "outbound", sql: OUTBOUND },
  { id: 8, name: "jobs", sql: JOBS },
  { id: 9, name: "reports", sql: REPORTS },
  { id: 10, name: "facts", sql: FACTS },
  { id: 11, name: "ranks", sql: RANKS },
  { id: 12, name: "settings", sql: SETTINGS },
  { id: 13, name: "idempotency", sql: IDEMPOTENCY },
  { id: 14, name: "deliveries", sql: DELIVERIES },
  { id: 15, name: "webhooks", sql: WEBHOOKS },
  { id: 16, name: "renewals", sql: RENEWALS },
  { id: 17, name: "numbers", sql: NUMBERS },
  { id: 18, name: "search", sql: SEARCH },
];
