import { CLIENT } from "./origin.ts";

/** Where a page of the field has the client script put: an element's place, or an address in an attribute. */
const MARK = /(["']?)\{\{\{\s*appclient\s*\}\}\}/g;
/** A script element of older pages, which load the client from elsewhere. */
const SCRIPT = /<script\b[^>]*>/gi;
const OLD_CLIENT =
  /(\bsrc\s*=\s*)(?:"[^"]*?fresh_(?:client|parent)(?:\.min)?\.js(?:[?#][^"]*)?"|'[^']*?fresh_(?:client|parent)(?:\.min)?\.js(?:[?#][^']*)?'|[^\s"'>]*?fresh_(?:client|parent)(?:\.min)?\.js(?:[?#][^\s"'>]*)?(?=[\s>]))/i;
/** Seals the bytes of the script that ours stands in for. */
const SEAL = /\s+integrity\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+)/i;

const ATTRIBUTES = `(?:"[^"]*"|'[^']*'|[^>"'])*`;
/** What stands before the first element in a page's head, its start tag included. */
const BEFORE_HEAD = new RegExp(
  `^(?:\\s|\\uFEFF|<!--[\\s\\S]*?-->|<!doctype${ATTRIBUTES}>|<html(?=[\\s>])${ATTRIBUTES}>|<head(?=[\\s>])${ATTRIBUTES}>)*`,
  "i",
);
/** A whole document; a part of one is read by the app's own scripts, as it lies in the folder. */
const DOCUMENT = /<(?:!doctype|html|head|body)\b/i;

/** The page's own references to the client, at our address: a client that is loaded a second time leaves the first one as it is. */
const withAddress = (html: string, address: string): string =>
  html
    .replace(MARK, (_mark, quote: string) => (quote ? `${quote}${address}` : `<script src="${address}"></script>`))
    .replace(SCRIPT, (tag) =>
      OLD_CLIENT.test(tag) ? tag.replace(OLD_CLIENT, `$1"${address}"`).replace(SEAL, "") : tag,
    );

/**
 * A page of the app whose first script is our client. It blocks the parser, so that `app` is there for every script of the page, however the page's own
 * reference to the client is loaded: async, deferred, after its users, or not at all.
 */
export const clientFirst = (html: string, address: string): string =>
  withAddress(html, address).replace(BEFORE_HEAD, (before) => `${before}<script src="${address}"></script>`);

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const escapedText = (text: string): string => text.replace(/[&<>]/g, (character) => ESCAPES[character] ?? character);

/** A page that says why it has nothing else to show. */
export const withNotice = (html: string, paragraphs: readonly string[]): string => {
  const lines = paragraphs.filter(Boolean).map((text) => `<p>${escapedText(text)}</p>`);
  const notice = `<div role="alert">${lines.join("")}</div>`;
  return /<\/body>/i.test(html) ? html.replace(/<\/body>/i, () => `${notice}</body>`) : html + notice;
};

/** What the app's pages and parts of pages are served as. */
export const withClient = (html: string): string =>
  DOCUMENT.test(html) || withAddress(html, CLIENT) !== html ? clientFirst(html, CLIENT) : html;
