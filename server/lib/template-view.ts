import type { Associations, Conversation, User } from "@parley/contract";
import type { Settings } from "./settings.ts";
import { usableZone } from "./time-zone.ts";

/** The customer and the conversation of a message. Each member may be unknown. */
export interface TemplateSubject {
  readonly user?: Partial<User> | undefined;
  readonly channel?: Partial<NonNullable<Associations["channel"]>> | undefined;
  readonly conversation?: Partial<Conversation> | undefined;
}

/** Hours at which the parts of the day begin. */
const DAY_PARTS = [
  ["morning", 5],
  ["afternoon", 12],
  ["evening", 18],
] as const;

/** Members for the time: {{time.of_day}}, {{#if time.morning}}, {{time.weekday}}, {{time.date}}. */
const timeView = (now: Date, timeZone: string) => {
  const parts = new Intl.DateTimeFormat("en-GB", { timeZone, hour: "numeric", weekday: "long", hourCycle: "h23" });
  const local = Object.fromEntries(parts.formatToParts(now).map(({ type, value }) => [type, value]));
  const hour = Number(local["hour"]);
  const of_day = DAY_PARTS.findLast(([, begins]) => hour >= begins)?.[0] ?? "night";
  const date = new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" }).format(now);
  return { of_day, [of_day]: true, hour, weekday: local["weekday"], date };
};

/** Names of custom properties that contain the customer's language. */
const LOCALE_PROPERTIES = ["locale", "language", "lang"];

/** -> a lower-case language code such as "de"; undefined if it is unknown */
export const languageOf = ({ user, channel }: TemplateSubject): string | undefined => {
  const locale =
    user?.properties?.find(({ name }) => LOCALE_PROPERTIES.includes(name.toLowerCase()))?.value ?? channel?.locale;
  return /^[a-z]{2,3}(?=$|[-_])/.exec(locale?.trim().toLowerCase() ?? "")?.[0];
};

/**
 * Returns the values that the admin's templates can use. Custom properties are used by name, {{user.properties.plan}}; languages as in
 * {{#if locale.de}} … {{/if}}.
 * @param more values that only one setting has, such as {{choice.group}}
 */
export const templateViewOf = (
  { botName, business, timeZone }: Pick<Settings, "botName" | "business" | "timeZone">,
  { user, channel, conversation }: TemplateSubject,
  now: Date,
  more: object = {},
) => {
  const language = languageOf({ user, channel });
  return {
    user: user && {
      ...user,
      properties: Object.fromEntries((user.properties ?? []).map(({ name, value }) => [name, value])),
    },
    channel,
    conversation,
    bot: { name: botName },
    business,
    time: timeView(now, usableZone(timeZone)),
    locale: language === undefined ? undefined : { code: language, [language]: true },
    ...more,
  };
};
