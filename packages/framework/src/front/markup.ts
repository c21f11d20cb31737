import { CLIENT } from "./origin.ts";

/** Where a page of the field has the client script put: an element's place, or an address in an attribute. */
const MARK = /(["']?)\{\{\{\s*appclient\s*\}\}\}/g;
/** A script element of older pages, which load the client from elsewhere. */
const SCRIPT = /<script\b[^>]*>/gi;
const OLD_CLIENT =
  /(\bsrc\s*=\s*)(?:"[^"]*?fresh_(?:client|parent)(?:\.min)?\.js(?:[?#][^"]*)?"|'[^']*?fresh_(?:client|parent)(?:\.min)?\.js(?:[?#][^']*)?'|[^\s"'>]*?fresh_(?:client|parent)(?:\.min)?\.js(?:[?#][^\s"'>]*)?(?=[\s>]))/i;
/** Seals the bytes of the script that ours stands in for. */
const SEAL = /\s+integrity\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+)/i;

/** A page of the app with our client script in its place. */
export const withClient = (html: string, address: string = CLIENT): string =>
  html
    .replace(MARK, (_mark, quote: string) => (quote ? `${quote}${address}` : `<script src="${address}"></script>`))
    .replace(SCRIPT, (tag) =>
      OLD_CLIENT.test(tag) ? tag.replace(OLD_CLIENT, `$1"${address}"`).replace(SEAL, "") : tag,
    );
