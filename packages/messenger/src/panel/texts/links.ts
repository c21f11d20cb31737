/** A piece of a text: plain, or a link. */
type TextPiece = { readonly text: string; readonly href?: string };

/** Addresses with a scheme that may be opened, `www.` and e-mail addresses. */
const CANDIDATES =
  /\b(?:https?:\/\/|mailto:|www\.)[^\s<>"'`]+|\btel:\+?[\d().-]{3,}|[\p{L}\d][\p{L}\d._%+-]{0,63}@[\p{L}\d-]+(?:\.[\p{L}\d-]+)+/giu;

const SAFE_SCHEMES = ["http:", "https:", "mailto:", "tel:"];

const addressWith = (schemes: readonly string[], address: string, base?: string): string | undefined => {
  try {
    const { protocol, href } = new URL(address, base);
    return schemes.includes(protocol) ? href : undefined;
  } catch {
    return undefined;
  }
};

/** -> the address if a link may open it: an absolute one with the scheme http, https, mailto or tel */
export const safeLink = (address: string): string | undefined => addressWith(SAFE_SCHEMES, address);

/** -> the address if a picture, a video or a file may be loaded from it: http, https, or a path of this service */
export const safeMedia = (address: string): string | undefined =>
  addressWith(["http:", "https:"], address, location.href);

/** Punctuation at the end belongs to the sentence, and so does a closing bracket that the address doesn't open. */
const withoutEnd = (candidate: string): string => {
  let end = candidate.length;
  for (; end > 0; end -= 1) {
    const rest = candidate.slice(0, end);
    const last = rest.at(-1) ?? "";
    const isUnopened = last === ")" && rest.split(")").length > rest.split("(").length;
    if (!".,;:!?*_~…]}".includes(last) && !isUnopened) return rest;
  }
  return "";
};

const hrefOf = (text: string): string | undefined => {
  if (/^www\.[^.]/i.test(text)) return safeLink(`https://${text}`);
  return safeLink(/^(?:https?:|mailto:|tel:)/i.test(text) ? text : `mailto:${text}`);
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
