import Type, { type Static } from "typebox";
import { Time } from "../api/values.ts";

/**
 * Lengths of what agents see of a page.
 * @units characters
 * @assumed The numbers.
 */
export const VISITOR_PAGE_LIMITS = { address: 2_048, title: 300, language: 35 } as const;

/**
 * The page of a site that a visitor writes from, and the language of the visitor. Browsers send it only if `MessengerPrivacy.is_page_shown` is
 * true; otherwise the service stores nothing of it.
 * @assumed All members. The address has no query and no fragment: they can contain secrets, such as the token of a link to reset a password.
 */
export const VisitorPage = Type.Object(
  {
    url: Type.Optional(
      Type.String({
        maxLength: VISITOR_PAGE_LIMITS.address,
        pattern: "^https?://",
        description:
          "What is more than the origin and the path is left out. Absent for a page without an address, such as a file.",
      }),
    ),
    title: Type.Optional(Type.String({ maxLength: VISITOR_PAGE_LIMITS.title })),
    language: Type.Optional(
      Type.String({ pattern: `^[A-Za-z0-9-]{1,${VISITOR_PAGE_LIMITS.language}}$`, description: "Such as de-AT." }),
    ),
  },
  { title: "VisitorPage" },
);
export type VisitorPage = Static<typeof VisitorPage>;

/** The page as agents see it. */
export const SeenVisitorPage = Type.Object(
  { ...VisitorPage.properties, seen_time: Time },
  { title: "SeenVisitorPage" },
);
export type SeenVisitorPage = Static<typeof SeenVisitorPage>;
