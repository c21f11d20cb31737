import { refuse, type Template, TEMPLATE_NOT_FOUND } from "@parley/contract";
import type { KnownTemplate } from "./db/templates.ts";

/** @units milliseconds @spec Limits */
const DELAY = 30 * 60_000;

/**
 * Whether a template may be sent with. A name that nobody has approved in any language is a wrong one, and its first failure begins the
 * wait; an unknown language of a name that is approved fails without beginning one.
 */
export const isWrongName = ({ template, isNameApproved }: KnownTemplate): boolean =>
  template?.status !== "approved" && !isNameApproved;

/**
 * @spec Limits
 * @errors TEMPLATE_NOT_FOUND, saying until when where only the wait is missing
 */
export const approved = ({ template, firstFailure }: KnownTemplate, now: Date): Template => {
  if (template?.status !== "approved") return refuse(TEMPLATE_NOT_FOUND);
  const until = firstFailure && new Date(firstFailure.getTime() + DELAY);
  if (until && now < until)
    refuse(
      TEMPLATE_NOT_FOUND,
      `The template is approved, but was sent with before that: it works from ${until.toISOString()} on, 30 minutes after the first failure.`,
    );
  return template;
};
