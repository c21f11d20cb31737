import { CONSOLE_PATH, SIGN_IN_PATH } from "@parley/contract";
import { html, type Markup } from "../../../http/html.ts";
import { HTML_TYPE } from "../../../http/media-type.ts";

/** Everything is loaded from this host; inline scripts and styles are forbidden. `data:` is for the QR code. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/**
 * Headers of every page. With the policy `no-referrer` browsers would send forms with `Origin: null`, which can't be told from a form of
 * another site.
 */
export const SIGN_IN_PAGE_HEADERS: Readonly<Record<string, string>> = {
  "content-type": HTML_TYPE,
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin",
  "cache-control": "no-store",
};

/** Path of the stylesheet. */
export const STYLE_PATH = `${SIGN_IN_PATH}/page.css`;

interface PageShell {
  readonly title: string;
  /** Name of the page's script, if it has a script. */
  readonly script?: string;
  readonly main: Markup;
  /** For pages of several sections. */
  readonly isWide?: boolean;
  /** Content of `<meta>` elements by name. */
  readonly meta?: Readonly<Record<string, string>>;
}

/** A whole page. */
export const pageShell = ({ title, script, main, isWide = false, meta = {} }: PageShell): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        ${Object.entries(meta).map(([name, content]) => html`<meta name="${name}" content="${content}" />`)}
        <title>${title} · Parley</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="${STYLE_PATH}" />
        ${script === undefined ? "" : html`<script src="${SIGN_IN_PATH}/${script}.js" defer></script>`}
      </head>
      <body class="${isWide ? "wide" : "narrow"}" data-sign-in="${SIGN_IN_PATH}" data-home="${CONSOLE_PATH}">
        <header class="brand"><span class="mark" aria-hidden="true">P</span> Parley</header>
        <main>${main}</main>
      </body>
    </html> `.text;

/** Shown instead of a form that only works with its script. */
export const noScript = html`<noscript>
  <p class="notice bad">This page needs JavaScript. Turn it on in the settings of the browser, and reload the page.</p>
</noscript>`;
