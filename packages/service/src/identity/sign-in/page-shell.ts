import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { CONSOLE_PATH } from "@parley/contract";
import { html, type Markup } from "../../http/html.ts";
import { HTML_TYPE } from "../../http/media-type.ts";
import { nextPathOf } from "./next-path.ts";

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

/** The built page, with the places where the service writes something. */
export interface SignInShell {
  /** The page with its script. @shape meta: content of `<meta>` elements by name; main: absent: the script's */
  readonly scripted: (meta: Readonly<Record<string, string>>, main?: Markup) => string;
  /** A page without script. @shape text: what it says, after its heading */
  readonly plain: (title: string, text: Markup) => string;
  /**
   * The page that ends a sign-in by a link or an identity provider: its script stores the session token and opens the next page. Send it with
   * `SIGN_IN_PAGE_HEADERS` and the session cookie.
   * @shape next: a path of this service; the console replaces anything else
   */
  readonly handOver: (token: string, next: string | undefined) => string;
}

const HAND_OVER = html`<div class="card">
  <h1>Signed in</h1>
  <p class="lead" role="status"></p>
  <noscript>
    <p class="notice bad">
      The pages for agents need JavaScript. Turn it on in the settings of the browser, and sign in again: with your
      password, or with a new link.
    </p>
  </noscript>
</div>`;

/** Reads the page of a folder of built pages. */
export const readSignInShell = async (folder: string): Promise<SignInShell> => {
  const page = await readFile(join(folder, "sign-in.html"), "utf8");
  const withMain = (text: string, main: Markup): string => text.replace(/(?<=<main>).*(?=<\/main>)/s, () => main.text);
  const scripted = (meta: Readonly<Record<string, string>>, main?: Markup): string => {
    const written = html`${Object.entries(meta).map(([name, content]) => html`<meta name="${name}" content="${content}" />`)}`;
    const text = page.replace("</head>", () => `${written.text}</head>`);
    return main ? withMain(text, main) : text;
  };
  return {
    scripted,
    plain: (title, text) =>
      withMain(
        page.replace(/<script .*<\/script>/, "").replace(/(?<=<title>)[^<]*/, () => html`${title} · Parley`.text),
        html`<div class="card">
          <h1>${title}</h1>
          ${text}
        </div>`,
      ),
    handOver: (token, next) =>
      scripted({ "session-token": token, next: nextPathOf(next) ?? CONSOLE_PATH }, HAND_OVER).replace(
        /(?<=<title>)[^<]*/,
        "Signed in · Parley",
      ),
  };
};
