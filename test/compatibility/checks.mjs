/**
 * Additional checks of some apps, by repository and path.
 * `check` runs on the page `place`. It returns a description of its result, or throws.
 */
import { until } from "./command.mjs";
import { postToTarget } from "./instance.mjs";

const CHAT = "freshworks/marketplace-sample-apps/Freshworks-Samples/Freshchat";
const CONFIGURATION =
  "freshworks/marketplace-sample-apps/Freshworks-Samples/App-Development-Features/Configuration-Features";

const textOf = (frame, selector) => frame.locator(selector).first().innerText();

export const CHECKS = {
  [`${CHAT}/authentication-demonstration`]: {
    place: "conversation_user_info",
    async check({ frame, page, requestsTo }) {
      await until("the agent's address", async () => /@/.test(await textOf(frame, "#apptext")));
      const received = await until("a request with the key", () => requestsTo("api.freshchat.com")[0]);
      if (!/^Bearer \S{20,}/.test(received.headers.authorization ?? ""))
        throw new Error("the key was not in the header");
      await frame.locator("#listagents-btn").click();
      await until("the dialog", () => page.frames().some((each) => /dialog\.html/.test(each.url())));
      return "shows the agent who looks; asks GET /v2/agents with the secure key in a header; opens its dialog with the answer";
    },
  },
  [`${CHAT}/conversations-data-storage-helper`]: {
    place: "conversation_user_info",
    async check({ frame, page }) {
      await frame.locator("#note").fill("likes tea");
      await frame.locator("#btnSaveNote").click();
      await until("the notification", () => page.getByText("Successfully stored the note.").first().isVisible());
      await frame.locator("#btnGetNote").click();
      await until("the note", async () => (await textOf(frame, "#savedNote")) === "likes tea");
      return "keeps a note by client.db, reads it by client.request.invoke from a function with two dependencies, shows notifications";
    },
  },
  [`${CHAT}/statuspage`]: {
    values: {
      status_page_host: "acme.statuspage.io",
      status_page_api_key: "canary-status",
      status_page_poll_frequency: "30",
    },
    place: "conversation_user_info",
    async check({ frame, requestsTo }) {
      const received = await until("a request", () => requestsTo("acme.statuspage.io")[0]);
      if (received.headers.authorization !== "OAuth canary-status") throw new Error("the key was not in the header");
      await until("the components", async () => /Checkout[\s\S]*Search/.test(await textOf(frame, "#status_info")));
      return "polls its host, taken from a parameter, with the secure key in a header; renders the answer with a library of its own";
    },
  },
  [`${CONFIGURATION}/config-iparams-json-freshdesk`]: {
    values: { hero: "Tennyson", api_key: "canary-desk", age: "10", creatorDomain: "acme", signature: "azmuth" },
    place: "ticket_conversation_editor",
    async check({ frame, requestsTo }) {
      const received = await until("a request", () =>
        requestsTo("acme.freshdesk.com").find(({ url }) => url.includes("/contacts")),
      );
      if (!/^Basic \S+/.test(received.headers.authorization ?? "")) throw new Error("the key was not in the header");
      await until("the contacts", async () => /Ada Park/.test(await frame.locator("html").innerText()));
      return "regex, domain and dropdown filled in; the callback's text stands at its field; lists contacts of another product's address";
    },
  },
  [`${CONFIGURATION}/dynamic_iparams`]: {
    values: { twitter_id: "ada", mobile: "+14155552671", domain_name: "acme", api_key: "canary-desk" },
    place: "ticket_sidebar",
    async check({ frame, requestsTo }) {
      await until("the callback's request", () => requestsTo("httpbin.org")[0]);
      await until("its page", async () => /iparams callback/.test(await frame.locator("body").innerText()));
      return "its callback asks an address outside and resolves or rejects; a rejection stands at its field";
    },
  },
  "freshworks-developers/app-setup-events-samples": {
    values: { psaTenantId: "tenant-7", psaApiKey: "canary-psa" },
    place: "ticket_sidebar",
    async check({ raise, logs }) {
      const installed = await until("onAppInstall", async () =>
        (await logs()).find(({ event }) => event === "onAppInstall"),
      );
      const line = installed.lines.map(({ text }) => text).find((text) => text.includes("target URL registered")) ?? "";
      const address = /https?:\S+/.exec(line)?.[0];
      if (!address) throw new Error(`no target address in: ${line}`);
      const status = await postToTarget(address, { ticket: 1 });
      if (status >= 300) throw new Error(`the target address answered ${status}`);
      await until("onExternalEvent", async () =>
        (await logs()).some(({ event, ok }) => event === "onExternalEvent" && ok),
      );
      for (const event of ["afterAppUpdate", "onScheduledEvent"]) {
        const call = await raise({ event });
        if (!call.ok) throw new Error(`event ${event}: ${JSON.stringify(call.error)}`);
      }
      return "makes its schedule and target address when installed; external, scheduled and update events reach their handlers";
    },
  },
};
