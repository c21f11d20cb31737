/** Limits that the specification defines, and limits that protect the server. The documentation prints this table. */
export const LIMITS = {
  /** @spec Limits */
  ids_per_fetch: 100,
  /** @spec Limits */
  items_per_page: 10,
  /** @assumed Larger page sizes are reduced to this maximum, as clients that ask for 9999 items expect. */
  items_per_page_max: 100,
  /** The highest page number that a request can name. Its offset still fits a bigint of PostgreSQL. @assumed */
  page_max: 999_999_999_999_999,
  /** @spec Limits */
  messages_per_page: 20,
  /** @spec Limits */
  messages_per_page_max: 50,
  /** Size of a JSON body in bytes. @assumed */
  body_bytes: 1_048_576,
  /** Length of a text content in characters. @assumed */
  text_characters: 65_536,
  /** Length of a name, label, e-mail address or similar text in characters. @assumed */
  short_text_characters: 1_024,
  /** Length of a URL in characters. @assumed */
  url_characters: 4_096,
  /** Message parts in one list. @assumed */
  parts: 50,
  /** Nesting depth of collections and templates. @assumed */
  parts_depth: 5,
  /** Messages in one POST /conversations. @assumed */
  messages_per_create: 50,
  /** Custom properties of a user or a conversation. @assumed */
  properties: 100,
  /** Size of an uploaded image in bytes. @assumed */
  image_bytes: 10_485_760,
  /** Width times height of an uploaded image. @assumed */
  image_pixels: 50_000_000,
  /** Length of the longer side of a thumbnail. @assumed */
  thumbnail_pixels: 320,
  /** Size of an uploaded file in bytes. @assumed */
  file_bytes: 26_214_400,
  /** Recipients of one outbound request. @assumed */
  outbound_recipients: 100,
  /** Groups of one agent. @assumed */
  agent_groups: 100,
} as const;

/**
 * Allowance of an account in requests per hour, by plan.
 * @spec Limits
 * @assumed The numbers; the account document can set other numbers.
 */
export const CALLS_PER_HOUR = { Free: 1000, Growth: 1000, Pro: 2000, Enterprise: 5000 } as const;
