/** A piece of a text: plain, or a link. */
type TextPiece = { readonly text: string; readonly href?: string };

/** Addresses with one of the schemes that may be opened, `www.` and e-mail addresses. */
const CANDIDATES =
  /\b(?:https?:\/\/|mailto:|www\.)[^\s<>"'`]+|\btel:\+?[\d().-]{3,}|[\p{L}\d][\p{L}\d._%+-]{0,63}@[\p{L}\d-]+(?:\.[\p{L}\d-]+)+/giu;

const CLOSING: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

/** -> number of closing brackets without an opening bracket, by closing bracket */
const unopenedIn = (text: string): Map<string, number> =>
  new Map(
    Object.entries(CLOSING).map(([closing, opening]) => [
      closing,
      text.split(closing).length - text.split(opening).length,
    ]),
  );

/** Punctuation at the end belongs to the sentence, and so does a bracket that the address does not open. */
const withoutEnd = (candidate: string): string => {
  const unopened = unopenedIn(candidate);
  let end = candidate.length;
  for (; end > 0; end -= 1) {
    const last = candidate[end - 1] ?? "";
    const extra = unopened.get(last) ?? 0;
    if (!".,;:!?*_~…".includes(last) && extra <= 0) break;
    if (extra > 0) unopened.set(last, extra - 1);
  }
  return candidate.slice(0, end);
};

const SAFE_SCHEMES = ["http:", "https:", "mailto:", "tel:"];

/** -> the address if a page may open it: an absolute one with the scheme http, https, mailto or tel */
export const safeLink = (address: string): string | undefined => {
  try {
    const { protocol, href } = new URL(address);
    return SAFE_SCHEMES.includes(protocol) ? href : undefined;
  } catch {
    return undefined;
  }
};

const hrefOf = (text: string): string | undefined => {
  if (/^www\.[^.]/i.test(text)) return safeLink(`https://${text}`);
  if (/^(?:https?:|mailto:|tel:)/i.test(text)) return safeLink(text);
  return safeLink(`mailto:${text}`);
};

/** Finds links in a plain text. -> pieces whose texts together are the text */
export const linkPieces = (text: string): readonly TextPiece[] => {
  const pieces: TextPiece[] = [];
  let end = 0;
  for (const { 0: candidate, index } of text.matchAll(CANDIDATES)) {
    const found = withoutEnd(candidate);
    const href = hrefOf(found);
    if (href === undefined) continue;
    if (index > end) pieces.push({ text: text.slice(end, index) });
    pieces.push({ text: found, href });
    end = index + found.length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end) });
  return pieces;
};

/** -> the address if a picture, a video or a file may be loaded from it: http, https, or one of the page's own origin */
export const safeMedia = (address: string, base: string): string | undefined => {
  try {
    const { protocol, href } = new URL(address, base);
    return protocol === "https:" || protocol === "http:" ? href : undefined;
  } catch {
    return undefined;
  }
};
