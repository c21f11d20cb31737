import Type, { type Static } from "typebox";
import { LIMITS } from "./limits.ts";

/** Text of a line: names, labels, addresses. */
export const ShortText = Type.String({ maxLength: LIMITS.short_text_characters });
export const Url = Type.String({ minLength: 1, maxLength: LIMITS.url_characters });
/**
 * A number of the service's own beside an id, in digits.
 * @assumed A text, as every identifier: public clients compare it with texts of their settings, and some refuse a JSON number.
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

/** Key/value pairs with no shape of their own. */
export const Pairs = Type.Record(Type.String(), Type.Unknown());

/** An answer with no body. */
export const Nothing = Type.Void();

/** @spec Resources and their fields > Conventions */
export const Answer = Type.Object(
  { code: Type.Integer(), status: Type.String(), message: Type.String() },
  { title: "Answer" },
);
export type Answer = Static<typeof Answer>;

/** @spec Resources and their fields > Pagination parameters (list endpoints) */
export const Link = Type.Object({ href: Type.String(), rel: Type.String(), type: Type.String() }, { title: "Link" });
export type Link = Static<typeof Link>;
