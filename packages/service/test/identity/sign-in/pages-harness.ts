import axe from "axe-core";
import { Secret, TOTP } from "otpauth";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { launchBrowser } from "../../../../framework/test/support/browser.ts";
import { sessionHarness, type SessionHarness } from "../authentication/session-harness.ts";
import type { ServiceHarnessOptions } from "../../service-harness.ts";

/** A page of a new browser profile, with everything that it must not do. */
export interface VisitedPage {
  readonly page: Page;
  /** Script errors, violations of the policy, messages in the console, and requests to other origins. */
  readonly faults: readonly string[];
}

/** The service and a browser. */
export interface PagesHarness extends SessionHarness {
  readonly browser: Browser;
  /** Moves the clock of the service, for codes that are accepted once. @units milliseconds */
  advance(ms: number): void;
  /** The code that an authenticator app shows at the service's time. */
  codeOf(secret: string): string;
  /** Opens a path in a new browser profile. */
  open(path: string, options?: BrowserContextOptions): Promise<VisitedPage>;
  /** Opens a path in another tab of a page's profile. */
  openTab(beside: Page, path: string): Promise<Page>;
  /** Id of an agent of the account acme. */
  agentId(email: string): Promise<string>;
  /** -> the link of an invitation */
  invite(email: string): Promise<string>;
  /** -> a link that signs in */
  signInLink(email: string): Promise<string>;
  /** Signs in with the page's form, and waits for the profile. The agent's password is `PASSWORD`. */
  signInOn(page: Page, email: string, password?: string): Promise<void>;
}

/** The browser logs each response with an error status by itself, and each request that a test aborts. */
const FAILED_REQUEST = /^Failed to load resource: (?:the server responded with a status of 4\d\d|net::ERR_FAILED)/;

export async function pagesHarness(options: Pick<ServiceHarnessOptions, "config"> = {}): Promise<PagesHarness> {
  const clock = { ahead: 0 };
  const now = () => new Date(Date.now() + clock.ahead);
  const [s, browser] = await Promise.all([sessionHarness({ ...options, ports: { now } }), launchBrowser()]);
  const watch = (page: Page, faults: string[]) => {
    page.setDefaultTimeout(30_000);
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("console", (message) => {
      if (!FAILED_REQUEST.test(message.text())) faults.push(message.text());
    });
    page.on("request", (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol !== "data:" && origin !== s.origin) faults.push(request.url());
    });
  };
  const linkOf = async (path: string, body?: object): Promise<string> => {
    const reply = await s.adminRequest<{ link: string }>("POST", path, body);
    if (reply.code !== 201) throw new Error(JSON.stringify(reply.body));
    return reply.body.link;
  };
  const agentId = async (email: string): Promise<string> => {
    const { agents } = await s.client.agents.listAgents({ query: { items_per_page: 100 } });
    const found = agents.find((agent) => agent.email === email);
    if (!found?.id) throw new Error(`There is no agent ${email}.`);
    return found.id;
  };
  const agentPath = async (email: string) => `/admin/accounts/acme/agents/${await agentId(email)}`;
  return {
    ...s,
    browser,
    advance: (ms) => void (clock.ahead += ms),
    codeOf: (secret) =>
      new TOTP({ secret: Secret.fromBase32(secret.replaceAll(" ", "")) }).generate({ timestamp: now().getTime() }),
    async open(path, options = {}) {
      const context = await browser.newContext({ reducedMotion: "reduce", ...options });
      const page = await context.newPage();
      const faults: string[] = [];
      watch(page, faults);
      await page.goto(path.startsWith("http") ? path : s.origin + path);
      return { page, faults };
    },
    async openTab(beside, path) {
      const page = await beside.context().newPage();
      await page.goto(s.origin + path);
      return page;
    },
    agentId,
    invite: async (email) => linkOf(`${await agentPath(email)}/invitation`),
    signInLink: (email) => linkOf("/admin/accounts/acme/sign-in-links", { email }),
    async signInOn(page, email, password) {
      if (password === undefined) await s.signIn(email);
      await page.getByLabel("Account", { exact: true }).fill("acme");
      await page.getByLabel("E-mail address").fill(email);
      await page.getByLabel("Password", { exact: true }).fill(password ?? "correct horse battery");
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
    },
    async close() {
      await browser.close();
      await s.close();
    },
  };
}

/** What password managers take for the owner of each form with a password. */
export const usernamesOf = (page: Page): Promise<string[]> =>
  page
    .locator("form:has([autocomplete$=-password]) [autocomplete=username]")
    .evaluateAll((fields) => fields.map((field) => (field as HTMLInputElement).value));

/** Returns axe's violations, as text, and an entry if an element is wider than the window. */
export const accessibilityFaults = async (page: Page): Promise<string[]> => {
  const { violations } = await page.evaluate<axe.AxeResults>(`(() => { ${axe.source}; return axe.run(document); })()`);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  return [
    ...violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    ),
    ...(overflow > 0 ? [`wider than the window by ${overflow}`] : []),
  ];
};

/** Two combinations cover narrow, wide, light and dark: contrast depends on the colour scheme, overflow on the width. */
export const LOOKS: readonly [name: string, options: BrowserContextOptions][] = [
  ["narrow and dark", { viewport: { width: 320, height: 640 }, colorScheme: "dark" }],
  ["wide and light", { viewport: { width: 1280, height: 900 }, colorScheme: "light" }],
];
