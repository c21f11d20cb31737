import type { FIXABLE_RULES } from "../../src/model/fixable-rules.ts";
import { manifestWith, MANIFEST } from "../support/project-folder.ts";

export type FixableCode = (typeof FIXABLE_RULES)[number];

/** A file with a finding, and its text after the correction; more files that it needs. */
export interface FixCase {
  readonly file: string;
  readonly before: string;
  readonly after: string;
  readonly others?: Readonly<Record<string, unknown>>;
}

const manifest = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
/** The manifest before and after a replacement in its text. */
const inManifest = (value: unknown, [from, to]: readonly [string, string], others: object = {}): FixCase => ({
  file: "manifest.json",
  before: manifest(value),
  after: manifest(value).replace(from, to),
  others: { "app/i.html": "", "app/i.svg": "", ...others },
});
const field = (before: string, after: string, others: object = {}): FixCase => {
  const file = (attributes: string) => `{\n  "k": { "display_name": "K", ${attributes} }\n}\n`;
  return { file: "config/iparams.json", before: file(before), after: file(after), others: { ...others } };
};
const requests = {
  "manifest.json": manifestWith({ common: { requests: { one: {} } } }),
};
const template = (before: string, after: string, others: object = {}): FixCase => {
  const file = (members: string) => `{ "one": { ${members} } }\n`;
  return { file: "config/requests.json", before: file(before), after: file(after), others: { ...requests, ...others } };
};
const place = (declared: unknown, name = "conversation_user_info") =>
  manifestWith({ chat_conversation: { location: { [name]: declared } } });
const whole = { url: "i.html", icon: "i.svg" };
const integration =
  '"client_id": "a", "client_secret": "b", "authorize_url": "https://example.com/a", "token_url": "https://example.com/t"';
const oauth = (key: string, more = "") => `{ "${key}": { "github": { ${integration}${more} } } }\n`;
const callbacks = { "config/assets/iparams.js": "function check() {}" };

/** For each rule that is corrected: texts before and after. */
export const FIX_CASES: Readonly<Record<FixableCode, readonly FixCase[]>> = {
  syntax: [
    {
      file: "config/iparams.json",
      before:
        '\uFEFF// Parameters\n{\n  /* one */ "k": {\r\n    "display_name": "a, // b", // c\n    "type": "text",\n  },\n}\n',
      after: '\uFEFF{\n "k": {\r\n    "display_name": "a, // b",\n    "type": "text"\n  }\n}\n',
    },
    {
      file: "manifest.json",
      before: `${JSON.stringify(MANIFEST).slice(0, -1)},}`,
      after: JSON.stringify(MANIFEST),
    },
  ],
  "json-twice": [
    {
      file: "config/iparams.json",
      before: '{\n  "k": { "type": "number", "display_name": "K",  "type": "text" }\n}\n',
      after: '{\n  "k": { "display_name": "K",  "type": "text" }\n}\n',
    },
    {
      file: "config/iparams.json",
      before: '{ "k": { "display_name": "1", "display_name": "2", "type": "text", "display_name": "3" } }',
      after: '{ "k": { "type": "text", "display_name": "3" } }',
    },
  ],
  "manifest-version": [
    inManifest({ ...MANIFEST, "platform-version": 3 }, [": 3,", ': "3.0",']),
    inManifest({ ...MANIFEST, "platform-version": "3" }, [': "3",', ': "3.0",']),
    inManifest({ "platform-verson": "3.0", modules: MANIFEST.modules }, ["-verson", "-version"]),
  ],
  "manifest-shape": [
    inManifest(manifestWith({ chat_user: { events: { onUserCreate: { hanlder: "hear" } } } }), ["hanlder", "handler"]),
    inManifest({ "platform-version": "3.0", module: MANIFEST.modules }, ['"module"', '"modules"']),
    inManifest(manifestWith({ common: { functions: { hear: { timeout: "20" } } } }), ['"20"', "20"]),
    inManifest({ ...MANIFEST, engines: { node: 20 } }, [": 20", ': "20"']),
  ],
  "module-misspelt": [
    inManifest(manifestWith({ chat_conversaton: { events: { onMessageCreate: { handler: "hear" } } } }), [
      "conversaton",
      "conversation",
    ]),
  ],
  "module-name": [inManifest(manifestWith({ chat_converstaion: {} }), ["converstaion", "conversation"])],
  "manifest-member": [
    inManifest({ "platform-version": "2.2", product: { freshchat: {} }, whitelistedDomains: [] }, [
      "whitelistedDomains",
      "whitelisted-domains",
    ]),
  ],
  "domain-https": [
    inManifest({ "platform-version": "2.2", product: { freshchat: {} }, "whitelisted-domains": ["api.example.com"] }, [
      '"api.example',
      '"https://api.example',
    ]),
    inManifest(
      { "platform-version": "2.2", product: { freshchat: {} }, "whitelisted-domains": ["http://*.example.com"] },
      ["http:", "https:"],
    ),
  ],
  place: [
    inManifest(place(whole, "conversation_userinfo"), ["_userinfo", "_user_info"]),
    inManifest({ "platform-version": "2.3", product: { freshchat: { location: { mesenger_home: whole } } } }, [
      "mesenger",
      "messenger",
    ]),
  ],
  "place-url": [inManifest(place({ ulr: "i.html", icon: "i.svg" }), ["ulr", "url"])],
  "place-template": [
    inManifest(place({ url: "app/i.html?tab=1", icon: "i.svg" }), ["app/", ""]),
    inManifest(place({ url: "./app/i.html", icon: "i.svg" }), ["./app/", ""]),
  ],
  "place-icon": [inManifest(place({ url: "i.html", incon: "i.svg" }), ["incon", "icon"])],
  "place-icon-file": [inManifest(place({ url: "i.html", icon: "/app/i.svg" }), ["/app/", ""])],
  event: [
    inManifest(manifestWith({ chat_user: { events: { onUserCreated: { handler: "hear" } } } }), ["Created", "Create"]),
    inManifest(
      { "platform-version": "2.3", product: { freshchat: { events: { onmessagecreate: { handler: "hear" } } } } },
      ["onmessagecreate", "onMessageCreate"],
    ),
  ],
  handler: [
    inManifest(manifestWith({ chat_user: { events: { onUserCreate: { handler: "Hear" } } } }), ['"Hear"', '"hear"']),
  ],
  dependency: [inManifest({ ...MANIFEST, dependencies: { cutter: "=v1.2.3" } }, ["=v", ""])],
  "iparams-type": [
    field('"type": "txt"', '"type": "text"'),
    field('"type": "Dropdwn", "options": ["a"]', '"type": "dropdown", "options": ["a"]'),
  ],
  "iparams-unknown": [field('"type": "text", "requird": true', '"type": "text", "required": true')],
  "iparams-text": [field('"type": "text", "default_value": 1.50', '"type": "text", "default_value": "1.50"')],
  "iparams-boolean": [
    field('"type": "text", "required": "true"', '"type": "text", "required": true'),
    field('"type": "checkbox", "default_value": "false"', '"type": "checkbox", "default_value": false'),
  ],
  "iparams-options": [field('"type": "radio", "options": ["a", 1]', '"type": "radio", "options": ["a", "1"]')],
  "iparams-default": [
    field(
      '"type": "radio", "options": ["Sales"], "default_value": "sales"',
      '"type": "radio", "options": ["Sales"], "default_value": "Sales"',
    ),
  ],
  "iparams-option-twice": [
    field('"type": "radio", "options": ["a", "b", "a", "a"]', '"type": "radio", "options": ["a", "b"]'),
  ],
  "iparams-modules": [field('"type": "text", "modules": "common"', '"type": "text", "modules": ["common"]')],
  "iparams-events": [
    field(
      '"type": "text", "events": { "change": "check" }',
      '"type": "text", "events": [{ "change": "check" }]',
      callbacks,
    ),
  ],
  "iparams-event": [
    field(
      '"type": "text", "events": [{ "Change": "check" }]',
      '"type": "text", "events": [{ "change": "check" }]',
      callbacks,
    ),
  ],
  "iparams-callback": [
    field(
      '"type": "text", "events": [{ "change": "Check" }]',
      '"type": "text", "events": [{ "change": "check" }]',
      callbacks,
    ),
  ],
  "entities-shape": [
    {
      file: "config/entities.json",
      before: '{ "things": { "fields": [{ "name": "a", "lable": "A", "type": "text" }] } }',
      after: '{ "things": { "fields": [{ "name": "a", "label": "A", "type": "text" }] } }',
    },
  ],
  "request-shape": [
    template(
      '"schema": { "method": "post", "host": "example.com" }',
      '"schema": { "method": "POST", "host": "example.com" }',
    ),
    template(
      '"schema": { "method": "GET", "hots": "example.com" }',
      '"schema": { "method": "GET", "host": "example.com" }',
    ),
    template(
      '"schema": { "method": "GET", "host": "example.com", "query": { "page": 1.0, "all": true } }, "options": { "timeout": "20" }',
      '"schema": { "method": "GET", "host": "example.com", "query": { "page": "1.0", "all": "true" } }, "options": { "timeout": 20 }',
    ),
    template(
      '"schema": { "method": "GET", "host": "example.com" }, "options": { "maxAttempts": "3", "retrydelay": 5 }',
      '"schema": { "method": "GET", "host": "example.com" }, "options": { "maxAttempts": 3, "retryDelay": 5 }',
    ),
  ],
  "request-host-path": [
    template(
      '"schema": { "method": "GET", "host": "<%= iparam.domain %>/" }',
      '"schema": { "method": "GET", "host": "<%= iparam.domain %>" }',
    ),
    template(
      '"schema": { "method": "GET", "host": "example.com/v2/a" }',
      '"schema": { "method": "GET", "host": "example.com", "path": "/v2/a" }',
    ),
  ],
  "request-host": [
    template(
      '"schema": { "method": "GET", "host": "https://api.example.com/" }',
      '"schema": { "method": "GET", "host": "api.example.com" }',
    ),
  ],
  "request-path": [
    template(
      '"schema": { "method": "GET", "host": "example.com", "path": "v2/users" }',
      '"schema": { "method": "GET", "host": "example.com", "path": "/v2/users" }',
    ),
  ],
  "request-integration": [
    template(
      '"schema": { "method": "GET", "host": "example.com" }, "options": { "oauth": "githb" }',
      '"schema": { "method": "GET", "host": "example.com" }, "options": { "oauth": "github" }',
      { "config/oauth_config.json": oauth("integrations") },
    ),
  ],
  "app-setting": [
    {
      file: "config/app_settings.json",
      before: '{ "a": { "secure": "false" } }',
      after: '{ "a": { "secure": false } }',
    },
  ],
  "oauth-integrations": [
    { file: "config/oauth_config.json", before: oauth("integration"), after: oauth("integrations") },
  ],
  "oauth-shape": [
    {
      file: "config/oauth_config.json",
      before: oauth("integrations", ', "token_type": "Account"'),
      after: oauth("integrations", ', "token_type": "account"'),
    },
    {
      file: "config/oauth_config.json",
      before: oauth("integrations").replace("token_url", "tokn_url"),
      after: oauth("integrations"),
    },
  ],
};

/** Files with findings that need a decision of their author. */
export const DECISIONS: readonly (readonly [title: string, files: Readonly<Record<string, unknown>>])[] = [
  ["text that is not JSON even without comments", { "config/iparams.json": "{ // a\n 'k': 1 }" }],
  ["a range of versions", { "manifest.json": { ...MANIFEST, dependencies: { cutter: "^1.2.3" } } }],
  [
    "a name that is similar to two events",
    {
      "manifest.json": manifestWith({
        chat_conversation: {
          events: { onConversationpdate: { handler: "hear" }, onConversationUpdate: { handler: "hear" } },
        },
      }),
    },
  ],
  [
    "a host with a path beside a path",
    {
      ...requests,
      "config/requests.json": { one: { schema: { method: "GET", host: "example.com/v2", path: "/users" } } },
    },
  ],
  [
    "an http host",
    { ...requests, "config/requests.json": { one: { schema: { method: "GET", host: "http://example.com" } } } },
  ],
  [
    "an unknown parameter in a template",
    {
      ...requests,
      "config/requests.json": {
        one: { schema: { method: "GET", host: "example.com", path: "/<%= iparam.domian %>" } },
      },
    },
  ],
  ["a sensitive parameter", { "config/iparams.json": { api_key: { display_name: "Key", type: "text" } } }],
];
