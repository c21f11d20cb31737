import Type from "typebox";

/** Path of the endpoints that the messenger calls on behalf of a visitor. */
export const MESSENGER_API = "/messenger/api";
/** Path of the page in the frame of the messenger. */
export const MESSENGER_PATH = "/messenger";
/** Id of the element of that page with the configuration for the page's query, as JSON. */
export const MESSENGER_DATA_ID = "configuration";
/** Path of the script that sites embed. */
export const MESSENGER_SCRIPT = "/js/widget.js";
/** @spec Resources and their fields > Channel (topic) object */
export const MESSENGER_SPEC = "Resources and their fields > Channel (topic) object";

/** Begins the secret of a visitor's session, so that it is never taken for an API token. */
export const VISITOR_TOKEN_PREFIX = "visitor_";

/**
 * Limits of the messenger.
 * @assumed The numbers.
 */
export const MESSENGER_LIMITS = {
  /** Age of a visitor's session. @units days */
  session_days: 365,
  /** Time without a request after which a session ends. @units days */
  session_idle_days: 90,
  /** Sessions of one user; a further session ends the oldest. */
  sessions_per_user: 20,
  /** Requests of one session in a minute. */
  calls_per_minute: 240,
  /** Messages of one visitor in a minute. */
  messages_per_minute: 30,
  /** Sessions that are begun from one IP address in an hour. */
  sessions_per_address_hour: 60,
  /** Sessions that are begun in one account in a minute. */
  sessions_per_account_minute: 600,
  /** Wrong restore ids from one IP address in an hour. */
  restores_per_address_hour: 20,
  /** Bytes that one visitor uploads in a day. */
  upload_bytes_per_visitor_day: 104_857_600,
  /** Bytes that the visitors of one account upload in a day. */
  upload_bytes_per_account_day: 5_368_709_120,
  /** Time after which an anonymous user without a message is removed. @units days */
  anonymous_days: 30,
  /** Length of a token that a site has signed. @units characters */
  signed_token_characters: 8_192,
  /** Keys of one account that check signed identities. */
  signing_keys: 10,
  /** Least length of a secret that a site brings. @units characters */
  signing_secret_characters: 32,
  /** Least size of the modulus of an RSA key. @units bits */
  signing_modulus_bits: 2_048,
  /** Longest time between iat and exp of a signed token. @units seconds */
  signed_token_seconds: 86_400,
  /** Time after iat for which a token without the UUID of a browser is valid. @units seconds */
  unbound_token_seconds: 600,
  /** Tolerated difference of the clocks of a site and of this service. @units seconds */
  signed_token_skew_seconds: 60,
  /** Refused signed tokens from one IP address in an hour. */
  refused_tokens_per_address_hour: 60,
  /** Aliases of one account. */
  aliases: 20,
  /** Length of an alias. @units characters */
  alias_characters: 200,
  /** Origins in the list of one account. */
  origins: 100,
  /** Length of an origin. @units characters */
  origin_characters: 300,
  /** Largest distance of the button from an edge of the window. @units CSS pixels */
  look_distance_px: 200,
  /** Length of the panel's heading, and of the text in the empty field. @units characters */
  look_title_characters: 100,
  /** Length of the texts below the heading. @units characters */
  look_text_characters: 300,
  /** Length of the button's label. @units characters */
  look_label_characters: 40,
  /** Languages of the texts. */
  look_locales: 50,
} as const;

/** Regular expression of a colour: red, green and blue. */
export const MESSENGER_COLOR = "^#[0-9a-fA-F]{6}$";
/** Regular expression of the address of a picture. */
export const MESSENGER_PICTURE = "^https?://[^\\s]+$";

/** Names the account of a page. Absent: the account of the host, or the only account of the installation. */
export const PageOfAccount = {
  account: Type.Optional(Type.String({ minLength: 1, maxLength: 63, description: "Name of the account." })),
  alias: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MESSENGER_LIMITS.alias_characters,
      description: "An alias of the account: the token of a page.",
    }),
  ),
  origin: Type.Optional(
    Type.String({
      maxLength: MESSENGER_LIMITS.origin_characters,
      description: "Origin of the page that embeds the messenger: null for a page without an origin, such as a file.",
    }),
  ),
};
