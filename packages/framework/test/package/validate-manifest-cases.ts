import { JSON_MEMBERS_MAX } from "../../src/model/json.ts";
import { MANIFEST, manifestWith, UNCHANGED } from "../support/project-folder.ts";

const page = { "app/i.html": "", "app/i.svg": "" };
const withPlaceholder = (declared: unknown, name = "conversation_user_info") => ({
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
const dependsOn = (dependencies: object) => ({ "manifest.json": { ...MANIFEST, dependencies } });
const needs = (version: string) => dependsOn({ cutter: version });
const parameters = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`key_${index}`, { display_name: "K", type: "text" }]),
  );
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
  "json-count": [{ "config/iparams.json": parameters(JSON_MEMBERS_MAX + 1) }, UNCHANGED],
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
  "module-misspelt": [
    { "manifest.json": manifestWith({ chat_conversaton: { events: { onMessageCreate: { handler: "hear" } } } }) },
    { "manifest.json": manifestWith({ chat_campaign: { events: { onMessageCreate: { handler: "hear" } } } }) },
  ],
  "module-name": [
    { "manifest.json": manifestWith({ chat_converstaion: {} }) },
    { "manifest.json": manifestWith({ chat_conversation: {}, support_ticket: {} }) },
  ],
  "manifest-member": [
    { "manifest.json": { ...MANIFEST, product: { freshchat: {} } } },
    { "manifest.json": { ...MANIFEST, engines: { node: "20.19.0" }, devDependencies: {}, settings: {} } },
  ],
  "request-call-host": [
    {
      ...products("2.2", { freshchat: { events: { onUserCreate: { handler: "hear" } } } }),
      "server/server.js": "exports = { hear: () => $request.get('https://api.example.com/v1', {}) };",
    },
    {
      ...products(
        "2.2",
        { freshchat: { events: { onUserCreate: { handler: "hear" } } } },
        { "whitelisted-domains": ["https://*.example.com", "https://<%= iparam.domain %>.example.org"] },
      ),
      "server/server.js":
        "exports = { hear: (id) => [$request.get('https://api.example.com/v1'), $request.get('https://acme.example.org/' + id), $request.get(`https://${id}.example.net/`), $request.get('https://' + id), $request.get('https://api.' + id)] };",
    },
  ],
  "version-part": [
    products("2.2", { freshchat: { requests: {} } }),
    products("2.3", { freshchat: { requests: {} } }, { "whitelisted-domains": [] }),
  ],
  "host-private": [
    products("2.2", { freshchat: {} }, { "whitelisted-domains": ["https://localhost:3000"] }),
    products("2.2", { freshchat: {} }, { "whitelisted-domains": ["https://*.example.com:8443/a", "https://*"] }),
  ],
  "domain-https": [
    products("2.2", { freshchat: {} }, { "whitelisted-domains": ["http://example.com"] }),
    products("2.2", { freshchat: {} }, { "whitelisted-domains": ["https://example.com", "<%= iparam.x %>"] }),
  ],
  place: [withPlaceholder(whole, "roof"), withPlaceholder(whole)],
  "place-url": [withPlaceholder({ icon: "i.svg" }), withPlaceholder(whole)],
  "place-template": [
    withPlaceholder({ ...whole, url: "gone.html" }),
    withPlaceholder({ ...whole, url: "i.html?tab=1#top" }),
  ],
  "place-icon": [withPlaceholder({ url: "i.html" }), withPlaceholder({ url: "i.html" }, "conversation_background")],
  "place-icon-file": [withPlaceholder({ ...whole, icon: "gone.svg" }), withPlaceholder(whole)],
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
  "dependency-name": [dependsOn({ "../../cutter": "1.0.0" }), dependsOn({ "@acme/cutter": "1.0.0" })],
  "dependency-absent": [
    { ...needs("1.0.0"), ...cutter },
    { ...needs("1.0.0"), ...cutter, "node_modules/cutter/index.js": "module.exports = 1;" },
  ],
} as const;
