import type { InstallField } from "@parley/contract";

/** Stands in a page of the app's own for a secure value that is kept; given back, it keeps that value. Plain, since pages encode it. */
export const SECURE_MASK = "********";

/** What the page says in the same words wherever it is drawn: by the host, or by its script once something has changed. */

/** States of a secure value that the page does not have. */
export const KEPT_SECRET: Readonly<Record<NonNullable<InstallField["held"]>, string>> = {
  stored: "Stored",
  default: "Set to the app’s default",
};

/** More options than these are shown as a list that can be searched. */
export const LONG_LIST = 20;

export const NO_CHOICE_LABEL = "None";

/** Whether radio buttons have one for no choice. @assumed not where the app has an option of that name */
export const hasNone = ({ required }: { readonly required: boolean }, options: readonly string[]): boolean =>
  !required &&
  options.length > 0 &&
  options.length <= LONG_LIST &&
  !options.some((option) => option.trim().toLowerCase() === NO_CHOICE_LABEL.toLowerCase());

/** What an app is told that asks for a parameter it can't have. @spec Resources and their fields > App installation parameters (iparams) */
export const noSuchIparam = (key: string): string => `No installation parameter matches the key '${key}'.`;
export const secureIparam = (key: string): string =>
  `The installation parameter '${key}' is secure: only the request method reads it.`;
