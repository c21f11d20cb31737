import { IPARAMS, manifestWith, UNCHANGED } from "../support/project-folder.ts";

const text = { display_name: "A", type: "text" };
const choice = { display_name: "A", type: "radio", options: ["a"] };
const field = (iparam: unknown, key = "k") => ({ "config/iparams.json": { [key]: iparam } });
const regex = (declared: unknown) => field({ ...text, regex: declared });
const good = { a: "^a$", "a-error": "Only a." };

const schema = { method: "GET", host: "api.example.com" };
const template = (declared: object, name = "one") => ({
  "manifest.json": manifestWith({ common: { requests: { one: {} } } }),
  "config/requests.json": { [name]: declared },
});
const request = (more: object) => template({ schema: { ...schema, ...more } });
const path = (value: string) => request({ path: value });
const many = (count: number) => {
  const names = Array.from({ length: count }, (_, index) => `request${index}`);
  const all = (value: unknown) => Object.fromEntries(names.map((name) => [name, value]));
  return { "manifest.json": manifestWith({ common: { requests: all({}) } }), "config/requests.json": all({ schema }) };
};

const integration = {
  client_id: "a",
  client_secret: "b",
  authorize_url: "https://example.com/a",
  token_url: "https://example.com/t",
};
const oauth = (more: object) => ({ "config/oauth_config.json": { integrations: { x: { ...integration, ...more } } } });
const { client_id, ...nobody } = integration;

/** For each rule: files that violate it, and nearly identical files that comply. */
export const CONFIG_CASES = {
  "entities-shape": [
    { "config/entities.json": { things: { fields: [{ name: "state", label: "State", type: "enum" }] } } },
    { "config/entities.json": { things: { fields: [{ name: "state", label: "State", type: "text" }] } } },
  ],
  "page-script": [
    { "app/i.html": '<script src="gone.js?v=1"></script>' },
    { "app/i.html": '<script src="there.js?v=1"></script>{{{appclient}}}', "app/there.js": "" },
  ],
  "page-build": [
    {
      "app/i.html": '<script src="main.1.js"></script>',
      "app/a.js": "open('i.html');",
      "package.json": { fdkConfig: { frontendFramework: "react" } },
    },
    {
      "app/a.js": "open('i.html');",
      "app/i.html": '<script defer src="src/index.jsx"></script>',
      "app/src/index.jsx": "",
      "package.json": { metaConfig: { framework: "react" } },
    },
  ],
  "config-folder": [{ "config/iparams.json": undefined }, UNCHANGED],
  "config-file": [{ "config/iparams.json.old": "{}" }, { "config/assets/more.css": "" }],
  "config-iparams": [{ "config/iparams.html": "" }, { "config/iparams.json": undefined, "config/iparams.html": "" }],

  "iparams-shape": [{ "config/iparams.json": [] }, UNCHANGED],
  "iparams-reserved-key": [field(text, "visible"), field(text, "visibility")],
  "iparams-empty-key": [field(text, " "), field(text, "a")],
  "iparams-missing": [field({ type: "text" }), field(text)],
  "iparams-type": [field({ ...text, type: "texts" }), field({ ...text, type: "paragraph" })],
  "iparams-unknown": [field({ ...text, placeholder: "x" }), field({ ...text, description: "x" })],
  "iparams-text": [field({ ...text, description: 1 }), field({ ...text, description: "1" })],
  "iparams-boolean": [field({ ...text, visible: "false" }), field({ ...text, visible: false })],
  "iparams-options": [field({ ...choice, options: [] }), field(choice)],
  "iparams-options-none": [field({ ...text, options: ["a"] }), field(text)],
  "iparams-default": [field({ ...choice, default_value: "b" }), field({ ...choice, default_value: "a" })],
  "iparams-default-absent": [field(choice), field({ ...choice, default_value: "a" })],
  "iparams-default-refused": [
    field({ ...text, type: "email", default_value: "someone" }),
    field({ ...text, type: "email", default_value: "someone@example.com" }),
  ],
  "iparams-option-twice": [field({ ...choice, options: ["a", "a"] }), field({ ...choice, options: ["a", "A"] })],
  "iparams-hidden-required": [
    field({ ...text, required: true, visible: false }),
    field({ ...text, required: true, visible: false, default_value: "x" }),
  ],
  "iparams-regex-empty": [regex({}), regex(good)],
  "iparams-regex-message": [regex({ a: "^a$" }), regex(good)],
  "iparams-regex-orphan": [regex({ ...good, "b-error": "Only b." }), regex(good)],
  "iparams-regex": [regex({ ...good, a: "(a+)\\1" }), regex({ ...good, a: "(a+)+$" })],
  "iparams-type-attributes": [
    field({ display_name: "A", type: "api_key", secure: true }),
    field({ display_name: "A", type: "api_key", secure: true, type_attributes: { product: "freshchat" } }),
  ],
  "iparams-domain-product": [field({ display_name: "A", type: "domain" }), field(IPARAMS.domain)],
  "iparams-product": [field({ ...IPARAMS.domain, type_attributes: { product: "" } }), field(IPARAMS.domain)],
  "iparams-modules": [field({ ...text, modules: "deal" }), field({ ...text, modules: ["deal"] })],
  "iparams-events": [field({ ...text, events: { change: "look" } }), field({ ...text, events: [] })],
  "iparams-event": [
    field({ ...text, events: [{ blur: "look" }] }),
    { ...field({ ...text, events: [{ change: "look" }] }), "config/assets/iparams.js": "function look() {}" },
  ],
  "iparams-callback": [
    { ...field({ ...text, events: [{ change: "look" }] }), "config/assets/iparams.js": "function see() {}" },
    { ...field({ ...text, events: [{ change: "look" }] }), "config/assets/iparams.js": "function look() {}" },
  ],
  "iparams-not-secure": [field(text, "Auth_code"), field({ ...text, secure: true }, "Auth_code")],

  "requests-shape": [{ "config/requests.json": [] }, { "config/requests.json": {} }],
  "requests-count": [many(101), many(100)],
  "request-shape": [request({ body: "x" }), request({ query: { a: "x" } })],
  "request-host-path": [request({ host: "a.example/x" }), request({ path: "/x" })],
  "request-host": [request({ host: "example" }), request({ host: "<%= iparam.domain %>" })],
  "request-path": [path("x"), path("/x")],
  "request-oauth": [
    template({ schema, options: { isOAuth: true } }),
    { ...template({ schema, options: { isOAuth: true } }), ...oauth({}) },
  ],
  "request-integration": [
    { ...template({ schema, options: { isOAuth: true, oauth: "gone" } }), ...oauth({}) },
    { ...template({ schema, options: { isOAuth: true, oauth: "x" } }), ...oauth({}) },
  ],
  "request-template": [path("/<%= iparam.domain"), path("/<%= iparam.domain %>")],
  "request-iparam": [path("/<%= iparam.gone %>"), path("/<%= iparam.domain %>")],
  "request-secure": [path("/<%= iparam.key %>"), request({ headers: { a: "<%= encode(iparam.key) %>" } })],
  "request-value": [
    path("/<%= process.env %>"),
    request({ headers: { a: "<%= access_token %>", b: "<%= app_settings.b %>", c: "<%= context.c %>" } }),
  ],
  "request-product": [
    path("/<%= current_host.endpoint_urls.freshdesk %>"),
    {
      ...path("/<%= current_host.endpoint_urls.freshdesk %>"),
      "manifest.json": manifestWith({ common: { requests: { one: {} } }, support_ticket: {} }),
    },
  ],
  "request-setting": [
    { ...path("/<%= app_settings.b %>"), "config/app_settings.json": { a: {} } },
    { ...path("/<%= app_settings.b %>"), "config/app_settings.json": { b: {} } },
  ],
  "app-settings-shape": [{ "config/app_settings.json": [] }, { "config/app_settings.json": {} }],
  "app-setting": [
    { "config/app_settings.json": { "a b": {}, c: { secure: "yes" } } },
    { "config/app_settings.json": { a: {}, c: { secure: false, display_name: "C" } } },
  ],
  "request-undefined": [template({ schema }, "two"), template({ schema })],
  "request-undeclared": [template({ schema }, "two"), template({ schema })],

  "oauth-integrations": [{ "config/oauth_config.json": integration }, oauth({})],
  "oauth-shape": [{ "config/oauth_config.json": { integrations: { x: nobody } } }, oauth({})],
  "oauth-https": [oauth({ token_url: "http://example.com/t" }), oauth({})],
  "request-call": [
    { "server/server.js": "exports = { hear: () => $request.post('https://api.example.com/', {}) };" },
    { "server/server.js": "exports = { hear: (cache) => cache.get('a') /* $request.get('b') */ };" },
  ],
  "request-call-template": [
    {
      ...template({ schema }, "notes"),
      "manifest.json": manifestWith({ common: { requests: { notes: {} } } }),
      "server/server.js": "exports = { hear: () => $request.invokeTemplate('note', {}) };",
    },
    {
      ...template({ schema }, "notes"),
      "manifest.json": manifestWith({ common: { requests: { notes: {} } } }),
      "server/server.js":
        "exports = { hear: (name) => [$request.invokeTemplate('notes', {}), $request.invokeTemplate(name), $request.invokeTemplate('no' + name)] };",
    },
  ],
  "oauth-empty": [oauth({ client_id: "" }), oauth({ client_id })],
} as const;
