import type { Operation } from "./openapi-operations.ts";
import type { FuzzResponse, KnownIds } from "./send-request.ts";

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const HEADERS = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimitreset"];

/** -> the fault of a response; undefined if the document describes it */
export function faultOf({ responses }: Operation, { code, headers, text }: FuzzResponse): string | undefined {
  if (code >= 500) return `answered ${code}`;
  const missing = HEADERS.filter((name) => headers[name] === undefined);
  if (missing.length > 0) return `the answer ${code} lacks ${missing.join(", ")}`;
  const documented = responses.get(code);
  if (!documented) return `the status ${code} is not documented`;
  if (!documented.isValid) return text === "" ? undefined : `the answer ${code} has a body, and none is documented`;
  if (!String(headers["content-type"]).startsWith("application/json")) return `the answer ${code} is not JSON`;
  const body = parsed(text);
  if (body === undefined) return `the body of the answer ${code} can't be parsed`;
  if (!documented.isValid(body)) return `the body of the answer ${code} hasn't the documented shape`;
  const { status } = body as { status?: unknown };
  if (documented.tokens.length > 0 && !documented.tokens.includes(String(status)))
    return `the token ${String(status)} is not documented`;
  return undefined;
}

/** List members of a response with the kind of their items, and members that contain an id. */
const LISTS: Readonly<Record<string, string>> = {
  users: "user",
  agents: "agent",
  groups: "group",
  channels: "channel",
  roles: "role",
  messages: "message",
};
const IDS: Readonly<Record<string, string>> = {
  conversation_id: "conversation",
  request_id: "request",
  file_hash: "file",
};
const CREATED: Readonly<Record<string, string>> = {
  createUser: "user",
  createAgent: "agent",
  createMessage: "message",
  createReport: "report",
};

/** Maximum number of ids of a kind; the oldest are removed first. */
const IDS_PER_KIND_MAX = 200;

/** Collects the ids of a response for later requests. */
export function collectIds(operation: string, { code, text }: FuzzResponse, known: KnownIds): void {
  if (code >= 300) return;
  const body = parsed(text);
  if (typeof body !== "object" || body === null) return;
  const add = (kind: string, id: unknown) => {
    if (typeof id !== "string" || id === "") return;
    for (const each of [kind, "any", ...(kind === "user" || kind === "agent" ? ["actor"] : [])]) {
      const ids = known.get(each) ?? [];
      if (!ids.includes(id)) ids.push(id);
      if (ids.length > IDS_PER_KIND_MAX) ids.shift();
      known.set(each, ids);
    }
  };
  for (const [name, member] of Object.entries(body)) {
    if (IDS[name]) add(IDS[name], member);
    const kind = LISTS[name];
    if (kind && Array.isArray(member)) for (const item of member) add(kind, (item as { id?: unknown }).id);
  }
  const { states } = body as { states?: unknown };
  if (Array.isArray(states)) known.set("status", states);
  if (CREATED[operation]) add(CREATED[operation], (body as { id?: unknown }).id);
}
