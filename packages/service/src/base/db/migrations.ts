import type { Migration } from "@parley/database";
import { ACCOUNTS } from "./migrations/0001_accounts.sql.ts";
import { AGENTS } from "./migrations/0004_agents.sql.ts";
import { CONSOLE } from "./migrations/0023_console.sql.ts";
import { CONVERSATION_DRAFTS } from "./migrations/0032_conversation_drafts.sql.ts";
import { CONVERSATIONS } from "./migrations/0002_conversations.sql.ts";
import { CSAT } from "./migrations/0005_csat.sql.ts";
import { CURSORS_AHEAD } from "./migrations/0030_cursors_ahead.sql.ts";
import { SIGNED_IN_AGENTS } from "./migrations/0031_signed_in_agents.sql.ts";
import { DELIVERIES } from "./migrations/0014_deliveries.sql.ts";
import { DELIVERY_EVENTS } from "./migrations/0027_delivery_events.sql.ts";
import { EVENT_TRACES } from "./migrations/0029_event_traces.sql.ts";
import { DELIVERY_EXCHANGES } from "./migrations/0026_delivery_exchanges.sql.ts";
import { FACTS } from "./migrations/0010_facts.sql.ts";
import { IDEMPOTENCY } from "./migrations/0013_idempotency.sql.ts";
import { INBOX } from "./migrations/0021_inbox.sql.ts";
import { IDENTITY } from "./migrations/0019_identity.sql.ts";
import { INSTALLED_APPS } from "./migrations/0020_installed_apps.sql.ts";
import { JOBS } from "./migrations/0008_jobs.sql.ts";
import { LOGIN_STATUS } from "./migrations/0028_login_status.sql.ts";
import { MESSENGER } from "./migrations/0033_messenger.sql.ts";
import { MESSENGER_LOOK } from "./migrations/0034_messenger_look.sql.ts";
import { MESSENGER_SIGNING } from "./migrations/0035_messenger_signing.sql.ts";
import { NUMBERS } from "./migrations/0017_numbers.sql.ts";
import { OUTBOUND } from "./migrations/0007_outbound.sql.ts";
import { RANKS } from "./migrations/0011_ranks.sql.ts";
import { RENEWALS } from "./migrations/0016_renewals.sql.ts";
import { REPORTS } from "./migrations/0009_reports.sql.ts";
import { ROUTING } from "./migrations/0024_routing.sql.ts";
import { SEARCH_INDEX } from "./migrations/0022_search_index.sql.ts";
import { SEARCH } from "./migrations/0018_search.sql.ts";
import { SETTINGS } from "./migrations/0012_settings.sql.ts";
import { SUBSCRIPTIONS } from "./migrations/0003_subscriptions.sql.ts";
import { TOKEN_USE } from "./migrations/0025_token_use.sql.ts";
import { UPLOADS } from "./migrations/0006_uploads.sql.ts";
import { VISITOR_PAGES } from "./migrations/0036_visitor_pages.sql.ts";
import { WEBHOOKS } from "./migrations/0015_webhooks.sql.ts";

export const SERVICE_SCHEMA = "parley_service";

/** `needs`: a release before that migration can't run on the schema, see docs/contributors/migrations.md. */
export const SERVICE_MIGRATIONS: readonly Migration[] = [
  { id: 1, name: "accounts", sql: ACCOUNTS },
  { id: 2, name: "conversations", sql: CONVERSATIONS },
  { id: 3, name: "subscriptions", sql: SUBSCRIPTIONS },
  { id: 4, name: "agents", sql: AGENTS, needs: 4 },
  { id: 5, name: "csat", sql: CSAT },
  { id: 6, name: "uploads", sql: UPLOADS },
  { id: 7, name: "outbound", sql: OUTBOUND },
  { id: 8, name: "jobs", sql: JOBS },
  { id: 9, name: "reports", sql: REPORTS },
  { id: 10, name: "facts", sql: FACTS },
  { id: 11, name: "ranks", sql: RANKS },
  { id: 12, name: "settings", sql: SETTINGS },
  { id: 13, name: "idempotency", sql: IDEMPOTENCY },
  { id: 14, name: "deliveries", sql: DELIVERIES, needs: 14 },
  { id: 15, name: "webhooks", sql: WEBHOOKS },
  { id: 16, name: "renewals", sql: RENEWALS },
  { id: 17, name: "numbers", sql: NUMBERS },
  { id: 18, name: "search", sql: SEARCH },
  { id: 19, name: "identity", sql: IDENTITY },
  { id: 20, name: "installed apps", sql: INSTALLED_APPS },
  { id: 21, name: "inbox", sql: INBOX, needs: 21 },
  { id: 22, name: "search index", sql: SEARCH_INDEX },
  { id: 23, name: "console", sql: CONSOLE },
  { id: 24, name: "routing", sql: ROUTING },
  { id: 25, name: "token use", sql: TOKEN_USE },
  { id: 26, name: "delivery exchanges", sql: DELIVERY_EXCHANGES },
  { id: 27, name: "delivery events", sql: DELIVERY_EVENTS },
  { id: 28, name: "login status", sql: LOGIN_STATUS },
  { id: 29, name: "event traces", sql: EVENT_TRACES },
  { id: 30, name: "cursors ahead", sql: CURSORS_AHEAD },
  { id: 31, name: "signed-in agents", sql: SIGNED_IN_AGENTS },
  { id: 32, name: "conversation drafts", sql: CONVERSATION_DRAFTS },
  { id: 33, name: "messenger", sql: MESSENGER },
  { id: 34, name: "messenger_look", sql: MESSENGER_LOOK },
  { id: 35, name: "messenger_signing", sql: MESSENGER_SIGNING },
  { id: 36, name: "visitor pages", sql: VISITOR_PAGES },
];
