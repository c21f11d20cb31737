import { CONSOLE_PATH } from "@parley/contract";
import { html } from "../../http/html.ts";
import { nextPathOf } from "./browser/next-path.ts";
import { pageShell } from "./views/shell.ts";

/**
 * The page that ends a sign-in by a link or an identity provider: its script stores the session token and opens the next page. Send it with
 * `SIGN_IN_PAGE_HEADERS` and the session cookie.
 * @shape next: a path of this service; the console replaces anything else
 */
export const handOverPage = (token: string, next: string | undefined): string =>
  pageShell({
    title: "Signed in",
    script: "hand-over",
    meta: { "session-token": token, next: nextPathOf(next) ?? CONSOLE_PATH },
    main: html`<div class="card">
      <h1>Signed in</h1>
      <p class="lead" role="status" data-status></p>
      <noscript>
        <p class="notice bad">
          The pages for agents need JavaScript. Turn it on in the settings of the browser, and sign in again: with your
          password, or with a new link.
        </p>
      </noscript>
    </div>`,
  });
