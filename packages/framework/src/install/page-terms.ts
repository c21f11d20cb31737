import type { InstallField } from "@parley/contract";

/** What the page says in the same words wherever it is drawn: by the host, or by its script once something has changed. */

/** States of a secure value that the page does not have. */
export const HELD: Readonly<Record<NonNullable<InstallField["held"]>, string>> = {
  stored: "Stored",
  default: "Set to the app’s default",
};

/** More options than these are shown as a list that can be searched. */
export const LONG_LIST = 20;

export const NO_CHOICE = "None";

/** Whether radio buttons have one for no choice. @assumed not where the app has an option of that name */
export const hasNone = ({ required }: { readonly required: boolean }, options: readonly string[]): boolean =>
  !required &&
  options.length > 0 &&
  options.length <= LONG_LIST &&
  !options.some((option) => option.trim().toLowerCase() === NO_CHOICE.toLowerCase());
