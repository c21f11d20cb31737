import { fileURLToPath, pathToFileURL } from "node:url";
import { join } from "node:path";
import { parleyClient, type ParleyClient } from "@parley/client";
import { MESSENGER_PATH, type MessengerSetting } from "@parley/contract";
import { build, type Plugin } from "esbuild";
import type { BrowserContext, Frame, Page } from "playwright-core";
import { ROOT } from "../../../../../test/support/parley-process.ts";
import { sharedBrowser, sharedInstance } from "../../../../../test/support/shared-instance.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import { setMessenger } from "../../support/account.ts";
import { signedIdentities, type SignedIdentities } from "../../support/signed-identity.ts";
import { htmlPage, serveSite } from "../../support/site.ts";
import type { PanelOfPage, PanelSnapshot } from "./model-page.ts";

declare const panel: PanelOfPage;

/** The panel's data in the frame of a site's page. */
export interface PanelTab {
  readonly page: Page;
  readonly frame: Frame;
  readonly snapshot: () => Promise<PanelSnapshot>;
  /** -> the snapshot that fulfils the condition */
  readonly until: (condition: (snapshot: PanelSnapshot) => boolean) => Promise<PanelSnapshot>;
  readonly openTopic: () => Promise<void>;
  readonly write: (...texts: string[]) => Promise<void>;
  /** Paths of the requests of this tab to the endpoints of the messenger, with their methods. */
  readonly requests: readonly string[];
  /** Calls a function of the browser API. -> its result */
  readonly site: <T>(expression: string) => Promise<T>;
}

export interface ModelFixture {
  readonly service: string;
  readonly client: ParleyClient;
  readonly identities: SignedIdentities;
  /** Sets what an admin enters about the messenger. */
  readonly configure: (messenger: MessengerSetting) => Promise<void>;
  /** A browser with a new profile. */
  readonly newBrowser: (beforeFrame?: string) => Promise<BrowserContext>;
  /** Opens the site's page with an open messenger. @shape options: of `init` */
  readonly openTab: (context: BrowserContext, options?: object) => Promise<PanelTab>;
  readonly close: () => Promise<void>;
}

const bundled = async (): Promise<string> => {
  const { CONTRACT_VALUES } = (await import(pathToFileURL(join(ROOT, "scripts/contract-values.mjs")).href)) as {
    readonly CONTRACT_VALUES: Plugin;
  };
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("model-page.ts", import.meta.url))],
    ...{ bundle: true, write: false, format: "esm", conditions: ["parley-source"], plugins: [CONTRACT_VALUES] },
  });
  return outputFiles[0]?.text ?? "";
};

/** An instance, a site with the real script, and the panel's data in place of the whole panel. */
export const modelFixture = async (): Promise<ModelFixture> => {
  const instance = await sharedInstance("without apps");
  const { origin: service } = instance;
  const script = await bundled();
  const browser = await sharedBrowser();
  const site = await serveSite({
    "/": htmlPage("", `<script src="${service}/js/widget.js?account=acme"></script>`),
    "/elsewhere": htmlPage("elsewhere"),
  });

  return {
    service,
    identities: await signedIdentities(service, instance.dataFolder),
    configure: (messenger) => setMessenger(service, instance.dataFolder, messenger),
    client: parleyClient({ url: instance.service, token: instance.token }),
    async newBrowser(beforeFrame) {
      const context = await browser.newContext();
      if (beforeFrame !== undefined) await context.addInitScript(`if (parent !== window) { ${beforeFrame} }`);
      await context.route(
        ({ origin, pathname }) => origin === service && pathname === MESSENGER_PATH,
        (route) =>
          route.fulfill({
            contentType: "text/html",
            body: `<script type="module" src="/messenger/model.js"></script>`,
          }),
      );
      await context.route("**/messenger/model.js", (route) =>
        route.fulfill({ contentType: "text/javascript", body: script }),
      );
      return context;
    },
    async openTab(context, options = {}) {
      const page = await context.newPage();
      const requests: string[] = [];
      page.on("request", (request) => {
        const { pathname } = new URL(request.url());
        if (pathname.startsWith(`${MESSENGER_PATH}/api`)) requests.push(`${request.method()} ${pathname}`);
      });
      await page.goto(site.origin);
      await page.evaluate(`fcWidget.init(${JSON.stringify({ ...options, host: service, open: true })})`);
      const frame = await waitUntil(() =>
        page.frames().find((each) => each.url().startsWith(service + MESSENGER_PATH)),
      );
      await frame.waitForFunction(() => "panel" in globalThis && ["ready", "consent"].includes(panel.snapshot().phase));
      const snapshot = () => frame.evaluate(() => panel.snapshot());
      return {
        ...{ page, frame, requests, snapshot },
        async until(condition) {
          let last: PanelSnapshot | undefined;
          const details = () => JSON.stringify(last);
          const find = async () => (condition((last = await snapshot())) ? last : undefined);
          return waitUntil(find, { details, timeoutMs: 20_000 });
        },
        openTopic: () =>
          frame.evaluate(() => {
            const [topic] = panel.snapshot().configuration?.topics ?? [];
            panel.actions.openTopic(topic?.id ?? "");
          }),
        write: (...texts) =>
          frame.evaluate((all) => {
            for (const text of all) panel.actions.send(panel.key(), { text });
          }, texts),
        site: (expression) => page.evaluate(expression),
      };
    },
    async close() {
      await Promise.all(browser.contexts().map((context) => context.close()));
      await site.close();
    },
  };
};

/** Begins a conversation. -> its id */
export const begin = async (tab: PanelTab, text: string): Promise<string> => {
  await tab.openTopic();
  await tab.write(text);
  const { conversations } = await tab.until(({ own, outgoing }) => own.includes(text) && outgoing.length === 0);
  return conversations[0]?.id ?? "";
};

/** What the panel keeps in the storages of the browser. */
export const keptItems = ({ frame }: PanelTab): Promise<readonly string[]> =>
  frame.evaluate(() =>
    [...Object.keys(localStorage), ...Object.keys(sessionStorage)].filter((key) => key.startsWith("parley-messenger")),
  );

/** Names of everything that the browser stores, by the page of the site and by the panel, and its cookies. */
export const storedItems = async ({ page, frame }: PanelTab): Promise<unknown> => {
  const list = async () => [
    ...[...Object.keys(localStorage), ...Object.keys(sessionStorage), document.cookie].filter(Boolean),
    ...(await indexedDB.databases()).map(({ name }) => name),
  ];
  return [await page.evaluate(list), await frame.evaluate(list), await page.context().cookies()];
};
