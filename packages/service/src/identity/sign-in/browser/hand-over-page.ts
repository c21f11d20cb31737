import { nextPathOf } from "./next-path.ts";
import { partOf, homePath } from "./page-elements.ts";
import { storeSessionToken } from "./session-token.ts";

const metaOf = (name: string): string => partOf<HTMLMetaElement>(`meta[name="${name}"]`).content;

const status = partOf("[data-status]");
status.textContent = "Opening the next page…";
// Replaces this page in the history: its form can't be sent again.
if (storeSessionToken(metaOf("session-token"))) location.replace(nextPathOf(metaOf("next")) ?? homePath());
else
  status.textContent =
    "The browser stores nothing for this site, which the pages for agents need. Allow it in the settings of the browser, and sign in again.";
