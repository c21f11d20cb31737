import { LOCALE_CHARACTERS_MAX, LOCALE_PATTERN } from "../kernel/text.ts";

/** Limits of an account document. The schema and the pages of the administration use them. @assumed All numbers. */
export const ACCOUNT_LIMITS = {
  /** Length of the name of a topic, group, role, status, choice or label. @units characters */
  name_characters: 255,
  /** @units characters */
  locale_characters: LOCALE_CHARACTERS_MAX,
  channels: 500,
  /** Languages of one topic besides the primary language. */
  channel_locales: 50,
  channel_tags: 100,
  /** @units characters */
  tag_characters: 255,
  groups: 500,
  /** Length of a group's id in the organisation. @units characters */
  org_id_characters: 255,
  roles: 100,
  statuses: 100,
  fields: 200,
  /** Length of the name of a field after `cf_`. @units characters */
  field_name_characters: 60,
  field_choices: 500,
  field_position: 10_000,
  templates: 1_000,
  template_buttons: 10,
  /** One entry for each group, and one for the account. */
  business_hours: 501,
  /** Times of opening on one day. */
  day_spans: 10,
  holidays: 400,
  /** Entries of one list of `remove`. */
  removals: 1_000,
} as const;

/** Regular expressions of texts in an account document. The schema and the pages of the administration use them. */
export const ACCOUNT_PATTERNS = {
  account_name: "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$",
  uuid: "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$",
  locale: LOCALE_PATTERN,
  field_name: `^(priority|cf_[a-z0-9_]{1,${ACCOUNT_LIMITS.field_name_characters}})$`,
  /** A time of a day, or its end. */
  clock: "^([01]\\d|2[0-3]):[0-5]\\d$|^24:00$",
  calendar_day: "^\\d{4}-\\d{2}-\\d{2}$",
  /** A placeholder of a template; its content is the first group. Texts have several. */
  placeholder: "\\{\\{\\s*([^{}]*?)\\s*\\}\\}",
  /** The content of a placeholder. */
  placeholder_number: "^[1-9]\\d?$",
  /** An origin of web pages. `*.` before the host stands for every host below it. */
  messenger_origin: "^https?://(\\[[0-9a-f:.]+\\]|(\\*\\.)?[a-z0-9_-]+(\\.[a-z0-9_-]+)*)(:[1-9]\\d{0,4})?$",
  /** What a page of another service names its account by: a token, or the numbers in the path of its script. */
  messenger_alias: "^[!-~]+$",
} as const;
