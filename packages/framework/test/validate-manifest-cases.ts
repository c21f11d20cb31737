import { MANIFEST, manifestWith, UNCHANGED } from "./project-folder.ts";

const page = { "app/i.html": "", "app/i.svg": "" };
const place = (declared: unknown, name = "conversation_user_info") => ({
  ...page,
  "manifest.json": manifestWith({ chat_conversation: { location: { [name]: declared } } }),
});
const whole = { url: "i.html", icon: "i.svg" };
const products = (version: string, product: object, more: object = {}) => ({
  "manifest.json": { "platform-version": version, product, ...more },
});
const functions = (declared: object) => ({
  "manifest.json": manifestWith({ common: { functions: declared } }),
  "server/server.js": "exports = { hear: () => 0, doIt: () => 0 };",
});
const needs = (version: string) => ({ "manifest.json": { ...MANIFEST, dependencies: { cutter: version } } });
const external = (handler: string) => ({ events: { onExternalEvent: { handler } } });
const cutter = { "server/server.js": "const cutter = require('cutter'); exports = { hear: () => cutter };" };

/** For each rule: files that violate it, and nearly identical files that comply. */
export const MANIFEST_CASES = {
  syntax: [{ "manifest.json": "{" }, UNCHANGED],
  "syntax-warning": [
    { "server/server.js": "exports = { hear: (args) => args === -0 };" },
    { "server/server.js": "exports = { hear: (args) => args === 0 };" },
  ],
  "json-twice": [{ "config/iparams.json": '{ "a": 1, "a": 2 }' }, { "config/iparams.json": "{}" }],
  "manifest-file": [{ "manifest.json": undefined }, UNCHANGED],
  "manifest-version": [{ "manifest.json": { ...MANIFEST, "platform-version": 3 } }, UNCHANGED],
  "manifest-shape": [
    { "manifest.json": manifestWith({ chat_user: { events: { onUserCreate: { hanlder: "hear" } } } }) },
    { "manifest.json": manifestWith({ chat_user: { events: { onUserCreate: { handler: "hear" } } } }) },
  ],
  "manifest-product": [products("2.2", {}), products("2.2", { freshchat: {} })],
  modules: [{ "manifest.json": { ...MANIFEST, modules: { common: {} } } }, UNCHANGED],
  "module-part": [
    { "manifest.json": manifestWith({ chat_user: { functions: {} } }) },
    { "manifest.json": manifestWith({ common: { functions: {} } }) },
  ],
  "module-name": [
    { "manifest.json": manifestWith({ chat_converstaion: {} }) },
    { "manifest.json": manifestWith({ chat_conversation: {}, support_ticket: {} }) },
  ],
  "version-part": [
    products("2.2", { freshchat: { requests: {} } }),
    products("2.3", { freshchat: { requests: {} } }, { "whitelisted-domains": [] }),
  ],
  "domain-https": [
    products("2.2", { freshchat: {} }, { "whitelisted-domains": ["http://example.com"] }),
    products("2.2", { freshchat: {} }, { "whitelisted-domains": ["https://example.com", "<%= iparam.x %>"] }),
  ],
  place: [place(whole, "roof"), place(whole)],
  "place-url": [place({ icon: "i.svg" }), place(whole)],
  "place-template": [place({ ...whole, url: "gone.html" }), place({ ...whole, url: "i.html?tab=1#top" })],
  "place-icon": [place({ url: "i.html" }), place({ url: "i.html" }, "conversation_background")],
  "place-icon-file": [place({ ...whole, icon: "gone.svg" }), place(whole)],
  event: [
    { "manifest.json": manifestWith({ support_ticket: { events: { onAppInstall: { handler: "hear" } } } }) },
    { "manifest.json": manifestWith({ support_ticket: { events: { onTicketCreate: { handler: "hear" } } } }) },
  ],
  "event-twice": [
    {
      ...products("2.2", { one: external("hear"), two: external("listen") }),
      "server/server.js": "exports = { hear: () => 0, listen: () => 0 };",
    },
    products("2.2", { one: external("hear"), two: external("hear") }),
  ],
  handler: [{ "server/server.js": "exports = { heat: () => 0 };" }, { "server/server.js": "exports.hear = () => 0;" }],
  "function-name": [functions({ "do-it": {} }), functions({ doIt: {} })],
  "function-timeout": [functions({ doIt: { timeout: 60 } }), functions({ doIt: { timeout: 15 } })],
  function: [functions({ gone: {} }), functions({ doIt: {} })],
  dependency: [needs("~1.0.0"), needs("1.0.0-rc.1")],
  "dependency-absent": [
    { ...needs("1.0.0"), ...cutter },
    { ...needs("1.0.0"), ...cutter, "node_modules/cutter/index.js": "module.exports = 1;" },
  ],
} as const;
