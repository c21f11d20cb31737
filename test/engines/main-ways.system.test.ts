import "../../packages/console/test/browser-globals.ts";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sessionClient } from "@parley/client/session";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { consoleHarness, eventually, type ConsoleHarness } from "../console/support/harness.ts";
import { SESSION_COOKIE, signInReally } from "../support/real-session.ts";
import { openEngine } from "./drivers.ts";
import { describeBrowsers, type InstalledEngine, type MissingEngine } from "./installed-engines.mjs";
import { userOf, type User } from "./user.ts";

/** The main ways through the pages, on what `npm start` starts, in each engine of the browsers that people use. */

const { ADMIN_SECTIONS } = await import("../../packages/console/src/administration/admin-pages.ts");
const ADMIN_PAGES = ADMIN_SECTIONS.flatMap(({ pages }) => pages.map(({ to, label }) => [label, to] as const));

const PASSWORD = "correct horse battery";
const REPLY = "Reply to the customer";
/** True once a page of the console is shown. Firefox reports an error of a page that is left while its files are loaded. */
const ON_CONSOLE = "location.pathname.startsWith('/console/') && document.querySelector('main h1') !== null";

let s: ConsoleHarness;
let email: string;
let file: string;
beforeAll(async () => {
  s = await consoleHarness({ hasConcierge: true });
  const session = await signInReally(s.origin, s.dataFolder);
  ({ email } = session);
  const { replyTemplates } = sessionClient({
    url: s.origin,
    sessionToken: () => session.token,
    fetch: (address, init = {}) => {
      const headers = new Headers(init.headers);
      headers.set("cookie", `${SESSION_COOKIE}=${session.cookie}`);
      headers.set("origin", s.origin);
      return fetch(address, { ...init, headers });
    },
  });
  const text = "Dear {{customer.first_name}}, welcome";
  await replyTemplates.createReplyTemplate({ body: { name: "Welcome", shortcut: "welcome", text, is_shared: true } });
  file = join(s.dataFolder, "delivery-note.txt");
  await writeFile(file, "Two parcels");
});
afterAll(() => s?.stop());

/** Opens a new conversation of a customer in the inbox. */
const openConversation = async (user: User, customer: string): Promise<void> => {
  const text = `${customer} asks where the order is.`;
  await s.beginConversation(customer, text);
  await user.page.open(`${s.origin}/console/inbox`);
  await user.press("link", new RegExp(customer));
  await user.see(text);
};

const send = async (user: User, text: string): Promise<void> => {
  await user.press("button", "Send");
  const thread = `document.querySelector("[role=region][aria-label='Messages of the conversation'], section[aria-label='Messages of the conversation']")?.innerText`;
  await user.until(`${thread}.includes(${JSON.stringify(text)})`);
  // A page whose message has not arrived asks before it is left, and this question would stop the next step.
  await user.until(`!${thread}.includes("Sending…")`);
};

/** The steps that follow the sign-in are those of one agent in one browser. */
const WAYS: readonly (readonly [name: string, go: (user: User, engine: InstalledEngine) => Promise<void>])[] = [
  [
    "sign-in by a password",
    async (user) => {
      await user.page.open(`${s.origin}/sign-in?account=acme`);
      await user.type("E-mail address", email);
      await user.type("Password", PASSWORD);
      await user.press("button", "Sign in");
      await user.until(ON_CONSOLE);
      await user.page.open(`${s.origin}/profile`);
      await user.press("button", "Sign out");
      await user.see("You are signed out.");
    },
  ],
  [
    "sign-in by a link",
    async (user) => {
      await user.page.open(await s.signInLink());
      await user.press("button", "Sign in");
      await user.until(ON_CONSOLE);
    },
  ],
  [
    "a reply from the inbox",
    async (user, { name }) => {
      await openConversation(user, `Rita ${name}`);
      await user.type(REPLY, "It is on its way.");
      await send(user, "It is on its way.");
    },
  ],
  [
    "a template inserted with a slash",
    async (user, { name }) => {
      await openConversation(user, `Tina ${name}`);
      await user.type(REPLY, "/wel");
      await user.press("option", /Welcome/);
      await send(user, `Dear Tina ${name}, welcome`);
    },
  ],
  [
    "a reply with an uploaded file",
    async (user, { name }) => {
      await openConversation(user, `Ulla ${name}`);
      await user.chooseFile(file);
      await user.see("delivery-note.txt");
      // A message whose file is being uploaded is not sent.
      await user.until("!document.body.textContent.includes('delivery-note.txt is being uploaded')");
      await user.type(REPLY, "Here it is.");
      await send(user, "delivery-note.txt");
    },
  ],
  [
    "Concierge beside a conversation",
    async (user, { name }) => {
      await openConversation(user, `Petra ${name}`);
      await user.see("Greeted in the topic", "/app/index.html");
    },
  ],
  [
    "the first message of a test customer, in the messenger of the console",
    async (user, { name }) => {
      await user.page.open(`${s.origin}/console/inbox`);
      await user.press("button", "Try it as a customer");
      await user.until(`document.querySelector("aside iframe")`);
      const customer = userOf(user.page, "/messenger?");
      await customer.press("button", /^Support|\nSupport/);
      await customer.type("Message", `Hello from ${name}`);
      await customer.press("button", "Send");
      await customer.until(`document.querySelectorAll(".replies button").length > 1`);
      await user.until(`document.querySelector("[role=grid]").innerText.includes("Test customer (")`);
    },
  ],
  [
    "the installation page with its callbacks",
    async (user, { name }) => {
      await user.page.open(s.installPage);
      // Concierge's callback fills the lists by requests with the stored key.
      await user.until(
        "[...document.querySelectorAll('#escalation_group option')].some(({ text }) => text === 'Support')",
      );
      await user.page.evaluate("document.querySelector('#bot_name').select()");
      await user.page.type("document.querySelector('#bot_name')", `Iris of ${name}`);
      await user.press("button", /^(?:Install|Save)/i);
      await user.see("App installation parameters have been successfully stored.");
    },
  ],
  ...ADMIN_PAGES.map(
    ([label, to]) =>
      [
        `administration: ${label}`,
        async (user: User) => {
          const link = `document.querySelector('nav a[href="/console${to}"]')`;
          if (!(await user.page.evaluate<boolean>(`Boolean(${link})`)))
            await user.page.open(`${s.origin}/console/admin`);
          await user.until(link);
          await user.page.click(link);
          await user.until(`document.querySelector("h1")?.innerText === ${JSON.stringify(label)}`);
          await user.until(`!document.querySelector("main [role=status] > [class*=circle]")`);
        },
      ] as const,
  ),
];

const isMissing = (engine: InstalledEngine | MissingEngine): engine is MissingEngine => "missing" in engine;
for (const engine of describeBrowsers()) {
  if (isMissing(engine)) {
    const title = `${engine.name} is missing, and skipped. To install it: ${engine.missing}`;
    if (process.env["CI"] === "true") test(title, () => expect(engine).not.toHaveProperty("missing"));
    else {
      test.skip(title, () => undefined);
      process.stderr.write(`${title}\n`);
    }
    continue;
  }
  describe(`${engine.name} ${engine.version}`, () => {
    let user: User;
    beforeAll(async () => {
      user = userOf(await openEngine(engine));
    });
    afterAll(() => user?.page.close());

    test("errors of scripts are reported", async () => {
      await user.page.open(`${s.origin}/sign-in`);
      await user.page.evaluate("void setTimeout(() => { throw new Error('thrown'); })");
      await user.page.evaluate("void Promise.reject(new Error('rejected'))");
      const found: string[] = [];
      await eventually(async () => {
        found.push(...(await user.page.takeErrors()));
        for (const each of ["thrown", "rejected"]) expect(found.join()).toContain(each);
      });
    });

    test.each(WAYS)("%s", async (_name, go) => {
      await go(user, engine);
      expect(await user.page.evaluate<string>("document.body.innerText")).not.toMatch(/can’t be shown/);
      expect(await user.page.takeErrors()).toEqual([]);
    });
  });
}
