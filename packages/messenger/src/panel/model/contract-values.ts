import {
  IDEMPOTENCY_KEY,
  LAST_EVENT_ID,
  LIMITS,
  MESSENGER_DATA_ID,
  messengerApi,
  rowsOf,
  THREAD_PAGE_SIZE,
  VIDEO_TYPES,
  VISITOR_PAGE_LIMITS,
} from "@parley/contract";

/**
 * The values of the contract that the panel needs. The bundle contains these values in place of this module
 * (`scripts/contract-values.mjs`), so that the panel doesn't load the schemas: each export must be expressible in JSON.
 */

/** Method and path of each endpoint of the messenger, such as `GET /messenger/api/visitor`, by operation. */
export const ROUTES: Readonly<Record<string, string>> = Object.fromEntries(
  rowsOf(messengerApi).map(({ operation, row }) => [operation, row.route]),
);

export const WIRE = {
  dataId: MESSENGER_DATA_ID,
  idempotencyKey: IDEMPOTENCY_KEY,
  lastEventId: LAST_EVENT_ID,
  pageAddressCharactersMax: VISITOR_PAGE_LIMITS.address,
  pageTitleCharactersMax: VISITOR_PAGE_LIMITS.title,
  propertiesMax: LIMITS.properties,
  textCharactersMax: LIMITS.text_characters,
  threadPageSize: THREAD_PAGE_SIZE.default,
  videoTypes: VIDEO_TYPES,
} as const;
