import Type, { type Static } from "typebox";
import { VISIBLE_TEXT } from "../kernel/text.ts";
import { LIMITS } from "./limits.ts";

/** Single-line text: names, labels, addresses. */
export const ShortText = Type.String({ maxLength: LIMITS.short_text_characters });
/** A text that people read, and that must not be blank. @units characters */
export const VisibleText = (maxLength: number, options: { readonly description?: string } = {}) =>
  Type.String({ minLength: 1, maxLength, pattern: VISIBLE_TEXT, ...options });
export const Url = Type.String({ minLength: 1, maxLength: LIMITS.url_characters });
/**
 * A number that the service assigns in addition to an id, in decimal digits.
 * @assumed A string like every identifier: public clients compare it with strings of their settings, and some refuse a JSON number.
 */
export const NumberText = (description: string) => Type.String({ pattern: "^[0-9]{1,15}$", description });
/** @units UTC, ISO 8601 with milliseconds and Z */
export const Time = Type.String({ format: "date-time" });
export const Avatar = Type.Object({ url: Type.Optional(Url) }, { title: "Avatar" });
export type Avatar = Static<typeof Avatar>;

/** @spec Resources and their fields > User object */
export const SocialProfile = Type.Object(
  {
    id: ShortText,
    type: Type.Enum(["facebook", "twitter", "skype", "linkedin"]),
  },
  { title: "SocialProfile" },
);

/** Key/value pairs without a schema. */
export const Pairs = Type.Record(Type.String(), Type.Unknown());

/** A response without a body. */
export const NoContent = Type.Void();

/** @spec Resources and their fields > Conventions */
export const StatusBody = Type.Object(
  { code: Type.Integer(), status: Type.String(), message: Type.String() },
  { title: "Answer" },
);
export type StatusBody = Static<typeof StatusBody>;

/** @spec Resources and their fields > Pagination parameters (list endpoints) */
export const Link = Type.Object({ href: Type.String(), rel: Type.String(), type: Type.String() }, { title: "Link" });
export type Link = Static<typeof Link>;
