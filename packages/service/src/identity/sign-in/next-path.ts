/** @units characters */
const LENGTH_MAX = 2_048;

/**
 * The path to open after a sign-in, as an address or a form names it: only one of this service, since a link with another target would lead
 * from a trusted page to any other site.
 * -> undefined for anything else: another scheme or host, `//host`, `/\host`, and characters that browsers drop or change
 */
export const nextPathOf = (text: string | null | undefined): string | undefined =>
  text != null && text.length <= LENGTH_MAX && /^\/(?!\/)[!-[\]-~]*$/.test(text) ? text : undefined;
