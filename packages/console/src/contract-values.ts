import {
  AGENT_ROLES,
  BULK_CHANGE_MAX,
  CUSTOMER_ORDERS,
  INBOX_ORDERS,
  INBOX_PAGE_SIZE,
  INBOX_STATUSES,
  LIMITS,
  MESSENGER_API,
  MESSENGER_PATH,
  REPLY_PLACEHOLDERS,
  THREAD_PAGE_SIZE,
} from "@parley/contract";

/**
 * The values of the contract that the pages need. The bundle contains these values in place of this module (`scripts/contract-values.mjs`),
 * so that pages don't load the schemas: each export must be expressible in JSON, and other modules of the console import types only.
 */
export const VALUES = {
  agentRoles: AGENT_ROLES,
  bulkChangeMax: BULK_CHANGE_MAX,
  customerOrders: CUSTOMER_ORDERS,
  inboxOrders: INBOX_ORDERS,
  inboxPageSizeMax: INBOX_PAGE_SIZE.max,
  inboxStatuses: INBOX_STATUSES,
  limits: LIMITS,
  messengerConfiguration: `${MESSENGER_API}/configuration`,
  messengerPath: MESSENGER_PATH,
  replyPlaceholders: REPLY_PLACEHOLDERS,
  threadPageSize: THREAD_PAGE_SIZE.default,
} as const;
