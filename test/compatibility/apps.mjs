/**
 * The public apps and what is done with each.
 * `fill`: values by the id of the field; `own`: fills an installation page of the app's own, inside its frame; `place`: what is opened
 * beside a conversation, and `page` the file that must be shown there; `check` uses it and returns what it saw, or throws.
 */
const SAMPLES = "freshworks/marketplace-sample-apps";
const CHAT = "Freshworks-Samples/Freshchat";
const CONFIGURATION = "Freshworks-Samples/App-Development-Features/Configuration-Features";

/** Waits until `look` gives something that isn't false, and returns it. */
export const until = async (what, look, ms = 15_000) => {
  const end = performance.now() + ms;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (performance.now() > end) throw new Error(`${what}: not seen within ${ms / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};

const textOf = (frame, selector) => frame.locator(selector).first().innerText();

export const APPS = [
  {
    name: "authentication-demonstration",
    repository: SAMPLES,
    path: `${CHAT}/authentication-demonstration`,
    fill: ({ token }) => ({ apiKey: token }),
    place: "conversation_user_info",
    page: "template.html",
    async check({ frame, page, heard }) {
      await until("the agent's address", async () => /@/.test(await textOf(frame, "#apptext")));
      const asked = await until("a request with the key", () => heard("api.freshchat.com")[0]);
      if (!/^Bearer \S{20,}/.test(asked.headers.authorization ?? "")) throw new Error("the key was not in the header");
      await frame.locator("#listagents-btn").click();
      await until("the dialog", () => page.frames().some((each) => /dialog\.html/.test(each.url())));
      return "shows the agent who looks; asks GET /v2/agents with the secure key in a header; opens its dialog with the answer";
    },
  },
  {
    name: "conversations-data-storage-helper",
    repository: SAMPLES,
    path: `${CHAT}/conversations-data-storage-helper`,
    verdict: "true of a fresh copy; `parley run` installs what the manifest names",
    fill: () => ({}),
    place: "conversation_user_info",
    page: "template.html",
    async check({ frame, page }) {
      await frame.locator("#note").fill("likes tea");
      await frame.locator("#btnSaveNote").click();
      await until("the notification", () => page.getByText("Successfully stored the note.").first().isVisible());
      await frame.locator("#btnGetNote").click();
      await until("the note", async () => (await textOf(frame, "#savedNote")) === "likes tea");
      return "keeps a note by client.db, reads it by client.request.invoke from a function with two dependencies, shows notifications";
    },
  },
  {
    name: "statuspage",
    repository: SAMPLES,
    path: `${CHAT}/statuspage`,
    fill: () => ({
      status_page_host: "acme.statuspage.io",
      status_page_api_key: "canary-status",
      status_page_poll_frequency: "30",
    }),
    place: "conversation_user_info",
    page: "index.html",
    async check({ frame, heard }) {
      const asked = await until("a request", () => heard("acme.statuspage.io")[0]);
      if (asked.headers.authorization !== "OAuth canary-status") throw new Error("the key was not in the header");
      await until("the components", async () => /Checkout[\s\S]*Search/.test(await textOf(frame, "#status_info")));
      return "polls its host, taken from a parameter, with the secure key in a header; renders the answer with a library of its own";
    },
  },
  {
    name: "config-iparams-json-freshdesk",
    repository: SAMPLES,
    path: `${CONFIGURATION}/config-iparams-json-freshdesk`,
    verdict: "true: a rejected promise of its callback would end in a ReferenceError, which the page would show",
    fill: () => ({ hero: "Tennyson", api_key: "canary-desk", age: "10", creatorDomain: "acme", signature: "azmuth" }),
    wrong: { key: "signature", value: "gwen", says: "Wrong Signature" },
    place: "ticket_conversation_editor",
    page: "index.html",
    async check({ frame, heard }) {
      const asked = await until("a request", () =>
        heard("acme.freshdesk.com").find(({ url }) => url.includes("/contacts")),
      );
      if (!/^Basic \S+/.test(asked.headers.authorization ?? "")) throw new Error("the key was not in the header");
      await until("the contacts", async () => /Ada Park/.test(await frame.locator("html").innerText()));
      return "regex, domain and dropdown filled in; the callback's text stands at its field; lists contacts of another product's address";
    },
  },
  {
    name: "dynamic_iparams",
    repository: SAMPLES,
    path: `${CONFIGURATION}/dynamic_iparams`,
    fill: () => ({ twitter_id: "ada", mobile: "+14155552671", domain_name: "acme", api_key: "canary-desk" }),
    wrong: { key: "twitter_id", value: "42", says: "Account ID has to be a string" },
    place: "ticket_sidebar",
    page: "template.html",
    async check({ frame, heard }) {
      await until("the callback's request", () => heard("httpbin.org")[0]);
      await until("its page", async () => /iparams callback/.test(await frame.locator("body").innerText()));
      return "its callback asks an address outside and resolves or rejects; a rejection stands at its field";
    },
  },
  {
    name: "custom_installation_page_app",
    repository: SAMPLES,
    path: `${CONFIGURATION}/custom_installation_page_app`,
    async own({ frame }) {
      await frame.locator("#bgc").evaluate((input) => (input.value = "#336699"));
    },
    installs: false,
    why: "no, by its own fault: its script reads `$`, which it never loads, and a selector that no browser knows; the page says so",
    place: "ticket_sidebar",
    page: "index.html",
  },
  {
    name: "app-setup-events-samples",
    repository: "freshworks-developers/app-setup-events-samples",
    path: ".",
    fill: () => ({ psaTenantId: "tenant-7", psaApiKey: "canary-psa" }),
    place: "ticket_sidebar",
    page: "ticket-sidebar.html",
    async check({ command, logs }) {
      const installed = await until("onAppInstall", async () =>
        (await logs()).find(({ event }) => event === "onAppInstall"),
      );
      const line = installed.lines.map(({ text }) => text).find((text) => text.includes("target URL registered")) ?? "";
      const address = /https?:\S+/.exec(line)?.[0];
      if (!address) throw new Error(`no target address in: ${line}`);
      const answer = await fetch(address, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ ticket: 1 }),
      });
      if (!answer.ok) throw new Error(`the target address answered ${answer.status}`);
      await until("onExternalEvent", async () =>
        (await logs()).some(({ event, ok }) => event === "onExternalEvent" && ok),
      );
      for (const event of ["afterAppUpdate", "onScheduledEvent"]) {
        const { status, stdout } = await command(["event", event, "--json"]);
        if (status !== 0) throw new Error(`event ${event}: ${stdout}`);
      }
      return "makes its schedule and target address when installed; external, scheduled and update events reach their handlers";
    },
  },
  {
    name: "configuration-page-samples/iparams-json",
    repository: "freshworks-developers/configuration-page-samples",
    path: "iparams-json",
    fill: () => ({ FreshdeskDomain: "acme.freshdesk.com", FreshdeskAPIkey: "canary-desk", AccountName: "Acme" }),
    place: "ticket_conversation_editor",
    page: "index.html",
    check: ({ frame }) =>
      until("its page", async () => /template code/.test(await frame.locator("body").innerText())).then(
        () => "page filled in and kept; its page is shown",
      ),
  },
  {
    name: "configuration-page-samples/dynamic-iparams",
    repository: "freshworks-developers/configuration-page-samples",
    path: "dynamic-iparams",
    fill: () => ({ domain_name: "acme.freshdesk.com", api_key: "canary-desk" }),
    place: "ticket_sidebar",
    page: "index.html",
    check: ({ frame }) =>
      until("its page", async () => /template code/.test(await frame.locator("body").innerText())).then(
        () => "its callbacks set hints by utils.set; its page is shown",
      ),
  },
  {
    name: "configuration-page-samples/iparams-html",
    repository: "freshworks-developers/configuration-page-samples",
    path: "iparams-html",
    async own({ frame }) {
      await frame.evaluate(() => {
        const values = {
          "account-name-field": "Acme West",
          "freshdesk-domain-field": "acme.freshdesk.com",
          "freshdesk-api-key-field": "canary-desk",
          "tracking-api-key-field": "canary-track",
          "deal-group-field": "opt2",
        };
        for (const [name, value] of Object.entries(values)) globalThis.document.querySelector(`.${name}`).value = value;
      });
    },
    place: "ticket_conversation_editor",
    page: "index.html",
    check: ({ frame }) =>
      until("its page", async () => /template code/.test(await frame.locator("body").innerText())).then(
        () => "its own installation page is filled in and kept, two values encrypted",
      ),
  },
];
