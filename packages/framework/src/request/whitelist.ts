import { filledPieces, SubstitutionFailed, type Sources } from "./substitute.ts";
import { TemplateError } from "./template.ts";

/** In place of a star that the manifest's author wrote: no value can hold it, so a star in a value is a star. */
const STAR = "\0";

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|-]/g, "\\$&");

const textOf = (entry: string, from: Sources): string | undefined => {
  try {
    return filledPieces(entry.trim(), "host", from)
      .map(({ text, isFilled }) => (isFilled ? text.replace(/^https:\/\//i, "") : text.replaceAll("*", STAR)))
      .join("");
  } catch (error) {
    if (error instanceof SubstitutionFailed || error instanceof TemplateError) return undefined;
    throw error;
  }
};

/**
 * Whether one of the manifest's entries allows a URL.
 * @assumed A star stands for one or more labels of the name. A port must be named to be used. A path, where an entry has one, is
 *   the beginning of those that it allows. An entry whose parameters have no value allows nothing.
 */
export const isWhitelisted = (url: URL, entries: readonly string[], from: Sources): boolean =>
  entries.some((entry) => {
    const [, host = "", path = ""] = /^(?:https:\/\/)?([^/]*)(.*)$/i.exec(textOf(entry, from) ?? "") ?? [];
    const pattern = new RegExp(`^${host.split(STAR).map(literal).join("[a-z0-9_.-]+")}$`, "i");
    const [begin = ""] = path.split(STAR);
    const folder = begin.replace(/\/+$/, "");
    return host !== "" && pattern.test(url.host) && (url.pathname === folder || url.pathname.startsWith(`${folder}/`));
  });
