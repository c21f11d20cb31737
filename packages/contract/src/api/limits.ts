/** Numbers that the specification gives, and those that protect the server. One place, printed into the documentation. */
export const LIMITS = {
  /** @spec Limits */
  ids_per_fetch: 100,
  /** @spec Limits */
  items_per_page: 10,
  /** @assumed Larger pages than this are cut to it, as clients that ask for 9999 expect. */
  items_per_page_most: 100,
  /** The last page that can be asked for: far beyond any list, and its place in the list is still a number of the database. @assumed */
  page_most: 999_999_999_999_999,
  /** @spec Limits */
  messages_per_page: 20,
  /** @spec Limits */
  messages_per_page_most: 50,
  /** Bytes of a JSON body. @assumed */
  body_bytes: 1_048_576,
  /** Characters of one text content. @assumed */
  text_characters: 65_536,
  /** Characters of a name, label, address of e-mail and the like. @assumed */
  short_text_characters: 1_024,
  /** Characters of a web address. @assumed */
  url_characters: 4_096,
  /** Message parts in one list. @assumed */
  parts: 50,
  /** How deep collections and templates may be nested. @assumed */
  parts_depth: 5,
  /** Messages in one POST /conversations. @assumed */
  messages_per_create: 50,
  /** Custom properties of a user or a conversation. @assumed */
  properties: 100,
  /** Bytes of an uploaded image. @assumed */
  image_bytes: 10_485_760,
  /** Width times height of an uploaded image. @assumed */
  image_pixels: 50_000_000,
  /** The longer side of a thumbnail. @assumed */
  thumbnail_pixels: 320,
  /** Bytes of an uploaded file. @assumed */
  file_bytes: 26_214_400,
  /** Recipients of one outbound request. @assumed */
  outbound_recipients: 100,
  /** Groups of an agent. @assumed */
  agent_groups: 100,
} as const;

/**
 * Calls that an account may make an hour, by its plan.
 * @spec Limits
 * @assumed The numbers; a setting changes them.
 */
export const CALLS_PER_HOUR = { Free: 1000, Growth: 1000, Pro: 2000, Enterprise: 5000 } as const;
