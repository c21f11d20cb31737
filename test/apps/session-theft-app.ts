import type { BrowserContext, Frame, Page } from "playwright-core";

/** Addresses that the code of an app tries. */
export interface TheftTargets {
  /** Origins of the service and of the host's pages. */
  readonly origins: readonly string[];
  /** Origin of another server on localhost. */
  readonly other: string;
}

/** What the code of an app got. */
export interface TheftResults {
  readonly cookies: string;
  /** What was read of each request, by its name; "blocked" if nothing. */
  readonly read: Readonly<Record<string, string>>;
  readonly storage: readonly string[];
}

const PATHS = [
  "/",
  "/custom_configs",
  "/custom_configs/token",
  "/front/handover?to=/",
  "/identity/session",
  "/v2/agents",
  "/admin/accounts",
];

/**
 * Script of an app's page that looks for the agent's session: cookies, requests with credentials to guessed addresses, frames, images, storage of
 * other pages. Its requests name the page that sends them, under any policy of that page. Its results are in `window.stolen`.
 */
export const theftScript = ({ origins, other }: TheftTargets): string => `
window.stolen = (async () => {
  const read = {};
  const text = async (name, work) => {
    try { read[name] = String(await Promise.race([work(), new Promise((_, no) => setTimeout(no, 3000))])).slice(0, 2000); }
    catch { read[name] = "blocked"; }
  };
  const element = (tag, address) => new Promise((resolve) => {
    const one = document.createElement(tag);
    one.onload = one.onerror = () => {
      let content = "opaque";
      try { content = one.contentDocument ? one.contentDocument.documentElement.outerHTML + one.contentDocument.cookie : "opaque"; } catch {}
      resolve(content);
    };
    one.referrerPolicy = "unsafe-url";
    one.src = address;
    document.body.append(one);
  });
  const work = [];
  for (const origin of ${JSON.stringify([...origins, other])}) {
    for (const path of ${JSON.stringify(PATHS)}) {
      const address = origin + path;
      work.push(
        text("cors " + address, () => fetch(address, { credentials: "include", referrerPolicy: "unsafe-url" }).then((reply) => reply.text())),
        text("no-cors " + address, () => fetch(address, { credentials: "include", referrerPolicy: "unsafe-url", mode: "no-cors" }).then((reply) => reply.text())),
        text("image " + address, () => element("img", address)),
        text("iframe " + address, () => element("iframe", address)),
      );
    }
    for (const path of ["/identity/session", "/custom_configs/save", "/custom_configs/uninstall", "/front/look", "/v2/conversations"])
      work.push(
        text("post " + origin + path, () => fetch(origin + path, {
          method: "POST", credentials: "include", referrerPolicy: "unsafe-url", mode: "no-cors", headers: { "content-type": "text/plain" }, body: "{}",
        }).then((reply) => reply.text())),
        text("post json " + origin + path, () => fetch(origin + path, {
          method: "POST", credentials: "include", referrerPolicy: "unsafe-url", headers: { "content-type": "application/json", "x-session-token": "guess", "x-page-token": "guess" }, body: "{}",
        }).then((reply) => reply.text())),
      );
  }
  const storage = [];
  for (const page of [window, parent, top])
    for (const kind of ["localStorage", "sessionStorage"])
      try { storage.push(JSON.stringify({ ...page[kind] })); } catch { storage.push("blocked"); }
  for (const page of [parent, top])
    try { storage.push(page.document.cookie + page.document.documentElement.outerHTML); } catch { storage.push("blocked"); }
  await Promise.all(work);
  const kept = "cookieStore" in window ? await cookieStore.getAll().catch(() => []) : [];
  return { cookies: document.cookie + JSON.stringify(kept), read, storage };
})();
`;

export const THEFT_PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>App</title></head>
<body><h1>App</h1><script src="theft.js"></script></body></html>`;

/** An installation page of the app itself. */
export const OWN_PAGE = `<!doctype html><html lang="en"><head><title>Settings</title></head><body><label>Note <input id="note"></label>
<script>
function postConfigs() { return { note: document.querySelector("#note").value }; }
</script></body></html>`;

/** Opens the installation page of the app. -> the page, and the frame with the own page of the app */
export const openInstallPage = async (
  context: BrowserContext,
  address: string,
): Promise<{ page: Page; frame: Frame }> => {
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const status = (await page.goto(address))?.status();
  if (status !== 200) throw new Error(`The installation page answers ${status}.`);
  await page.frameLocator("iframe[data-own]").locator("#note").waitFor();
  const frame = page.frames().find((one) => one.url().includes("/custom_configs/own/"));
  if (!frame) throw new Error("The installation page has no frame.");
  return { page, frame };
};
