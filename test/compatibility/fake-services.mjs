/** Fake of the other services that apps call. It records the requests. */
import { createServer } from "node:http";

export const TICKET = {
  id: 1,
  subject: "Where is my order?",
  description: "<p>It has not come.</p>",
  description_text: "It has not come.",
  status: 2,
  priority: 1,
  source: 2,
  type: "Question",
  tags: [],
  requester_id: 1,
  responder_id: 1,
  created_at: "2026-03-02T10:00:00Z",
  updated_at: "2026-03-02T10:00:00Z",
  due_by: "2026-03-05T10:00:00Z",
  custom_fields: {},
  cc_emails: [],
};
export const PERSON = {
  id: 1,
  name: "Ada Park",
  first_name: "Ada",
  last_name: "Park",
  email: "ada@example.com",
  phone: "+14155552671",
  mobile: null,
  available: true,
  active: true,
  tags: [],
  custom_fields: {},
  contact: { name: "Ada Park", email: "ada@example.com" },
  created_at: "2026-03-02T10:00:00Z",
};

/** Records of a help desk, by the last words of the path. A plural noun returns a list. */
const RECORDS = [
  ["tickets", TICKET],
  ["ticket_fields", { id: 1, name: "cf_note", label: "Note", type: "custom_text", choices: {} }],
  ["contacts", PERSON],
  ["agents", PERSON],
  ["requesters", PERSON],
  ["employees", PERSON],
  ["leads", PERSON],
  ["users", PERSON],
  ["companies", { id: 1, name: "Acme" }],
  ["groups", { id: 1, name: "Orders" }],
  ["conversations", { id: 1, body: "<p>Hello</p>", body_text: "Hello", created_at: "2026-03-02T10:00:00Z" }],
  ["issues", { id: 1, number: 1, title: "Broken", html_url: "https://github.com/acme/shop/issues/1", state: "open" }],
  ["hooks", { id: 1, active: true, url: "https://api.github.com/repos/acme/shop/hooks/1" }],
];

/** Services with responses of their own. @shape (path, method) -> a value, or undefined for the default response */
const HOSTS = {
  "acme.statuspage.io": () => ({
    page: { name: "Acme", url: "https://acme.statuspage.io" },
    components: [
      { name: "Checkout", status: "operational" },
      { name: "Search", status: "major_outage" },
    ],
  }),
  "httpbin.org": () => ({}),
  "anapioficeandfire.com": () => [{ name: "A book" }],
};

const TOKEN = { access_token: "granted", refresh_token: "granted-again", token_type: "bearer", expires_in: 3600 };

const usual = (path, method) => {
  const parts = path
    .replace(/\.json$/, "")
    .split("/")
    .filter(Boolean);
  const at = parts.findLastIndex((part) => RECORDS.some(([noun]) => noun === part));
  if (at === -1) return {};
  const [noun, record] = RECORDS.find(([name]) => name === parts[at]);
  const isService = parts.includes("v2") && ["requesters", "agents", "tickets"].includes(noun);
  const one = isService ? { ...record, [noun.slice(0, -1)]: record } : record;
  return method === "GET" && at === parts.length - 1 ? [one] : one;
};

/** Grants every authorization request. Returns the redirect URL, or undefined for another request. */
const grantOf = (url) => {
  const { searchParams } = new URL(url, "http://outside");
  if (!searchParams.has("redirect_uri")) return undefined;
  const back = new URL(searchParams.get("redirect_uri"));
  back.searchParams.set("code", "granted");
  back.searchParams.set("state", searchParams.get("state") ?? "");
  return back.href;
};

const textOf = async (request) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

/** Original host of the messaging API. The local service answers its requests. */
export const SERVICE_HOST = "api.freshchat.com";

const forward = async (service, { method, url, headers, body }) => {
  const answer = await fetch(new URL(url, service), {
    method,
    headers: { authorization: headers.authorization ?? "", accept: "application/json" },
    ...(body && { body }),
  });
  return { status: answer.status, body: await answer.text() };
};

/**
 * Listens on loopback. Returns `origin`; `begin(answers)`: forgets the requests; `answers` override the default responses of the next app, by
 * host and beginning of the path; `requestsTo(host)`: the requests so far; `setService(origin)`: origin of the local service; `close()`
 */
export const startFakeServices = async () => {
  let requests = [];
  let answers = {};
  let service;
  const respond = async (request) => {
    const { host, method, url } = request;
    const path = url.split("?")[0];
    const override = Object.entries(answers[host] ?? {}).find(([beginning]) => path.startsWith(beginning));
    if (override) return { status: 200, body: JSON.stringify(override[1]) };
    if (host === SERVICE_HOST) return forward(service, request);
    if (method === "POST" && /token|oauth/i.test(path)) return { status: 200, body: JSON.stringify(TOKEN) };
    return { status: 200, body: JSON.stringify(HOSTS[host]?.(path, method) ?? usual(path, method)) };
  };
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    const host = headers.host?.split(":")[0] ?? "";
    const one = { host, method, url, headers, body: await textOf(request) };
    requests.push(one);
    const location = method === "GET" && grantOf(url);
    if (location) return response.writeHead(302, { location }).end();
    const { status, body } = await respond(one);
    response.writeHead(status, { "content-type": "application/json" }).end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    begin(wanted = {}) {
      requests = [];
      answers = wanted;
    },
    requestsTo: (host) => requests.filter((each) => each.host === host),
    setService: (origin) => void (service = origin),
    close: () => new Promise((resolve) => server.close(resolve)),
  };
};
