import type { InstallField } from "@parley/contract";

/** Shown by the app's own page in place of a stored secure value. Submitting the mask keeps the stored value. ASCII only, since pages encode it. */
export const SECURE_MASK = "********";

/** Texts of the page that the host and the page's script both render. */

/** States of a secure value that is not sent to the page. */
export const STORED_SECRET_LABELS: Readonly<Record<NonNullable<InstallField["held"]>, string>> = {
  stored: "Stored",
  default: "Set to the app’s default",
};

/** A list with more options than this is searchable. */
export const OPTIONS_WITHOUT_SEARCH_MAX = 20;

export const NO_CHOICE_LABEL = "None";

/** Whether radio buttons include an option for no choice. @assumed No such option is added if the app has an option of that name. */
export const hasNoChoiceOption = ({ required }: { readonly required: boolean }, options: readonly string[]): boolean =>
  !required &&
  options.length > 0 &&
  options.length <= OPTIONS_WITHOUT_SEARCH_MAX &&
  !options.some((option) => option.trim().toLowerCase() === NO_CHOICE_LABEL.toLowerCase());

/** Messages for an app that requests a parameter it cannot read. @spec Resources and their fields > App installation parameters (iparams) */
export const unknownIparamMessage = (key: string): string => `No installation parameter matches the key '${key}'.`;
export const secureIparamMessage = (key: string): string =>
  `The installation parameter '${key}' is secure: only the request method reads it.`;
