import { Agent, request } from "node:http";
import { IDEMPOTENCY_KEY, IDEMPOTENCY_REPLAYED, rowsOf } from "@parley/contract";
import { statement, type Pool } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import {
  conversationsHarness,
  type ConversationsHarness,
} from "../../messaging/conversations/conversations-harness.ts";
import { GREETING_TEMPLATE, saveTemplate, outboundRequest } from "../../messaging/outbound/outbound-fixture.ts";
import { UNLIMITED_QUOTA } from "../../console/reporting/reports/reports-harness.ts";
import { filePart, FORM_TYPE, formOf } from "../../messaging/uploads/upload-form-builder.ts";
import { plainImage } from "../../messaging/uploads/image-builder.ts";
import type { ServiceHarnessOptions } from "../../service-harness.ts";

export interface IdempotentReply {
  readonly status: number;
  readonly text: string;
  readonly token: string;
  readonly isReplay: boolean;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** A request that creates an object; another `nth` creates another object. */
export interface CreatingRequest {
  readonly route: string;
  readonly code: number;
  /** The table to which it adds a row. */
  readonly table: string;
  readonly path: string;
  readonly type: string;
  readonly body: (nth: number) => string | Buffer;
}

/** A test instance with the objects that each request needs. */
export interface IdempotencyHarness extends ConversationsHarness {
  readonly creatingRequests: readonly CreatingRequest[];
  readonly creatingRequest: (route: string) => CreatingRequest;
  readonly pool: Pool;
  /** Sends a request over one of a few connections. */
  sendRequest(
    creating: CreatingRequest,
    nth: number,
    key?: string | readonly string[],
    to?: RequestTarget,
  ): Promise<IdempotentReply>;
  countRows(table: string): Promise<number>;
  user_id: string;
  conversation_id: string;
}

/** Another service, or another token. */
interface RequestTarget {
  readonly url?: string;
  readonly token?: string;
}

const TABLES: Readonly<Record<string, string>> = {
  "POST /users": "users",
  "POST /conversations": "conversations",
  "POST /conversations/{conversation_id}/messages": "messages",
  "POST /agents": "agents",
  "POST /csat/{conversation_id}": "csat",
  "POST /images/upload": "uploads",
  "POST /files/upload": "uploads",
  "POST /outbound-messages/{provider}": "outbound_requests",
  "POST /reports/raw": "reports",
};

/** Every endpoint that accepts a key, with its success status and the table to check. */
export const CREATING_ENDPOINTS: readonly (readonly [route: string, code: number, table: string])[] = rowsOf().flatMap(
  ({ row }) => (row.acceptsIdempotencyKey ? [[row.route, row.reply.code, TABLES[row.route] ?? "unknown"]] : []),
);

/** Events of created objects, without the status changes of outbound messages in the background. */
export const CREATION_EVENTS = "outbox where kind <> 'outbound_message_update'";

const JSON_TYPE = "application/json";
const HOUR_MS = 3_600_000;

const bodiesOf = async (
  s: ConversationsHarness,
  user_id: string,
): Promise<Record<string, (nth: number) => string | Buffer>> => {
  const now = Date.now();
  const image = await plainImage("png");
  const message = (nth: number) => ({
    actor_type: "user",
    actor_id: user_id,
    message_parts: [{ text: { content: `number ${nth}` } }],
  });
  const json = (body: (nth: number) => unknown) => (nth: number) => JSON.stringify(body(nth));
  return {
    "POST /users": json((nth) => ({ first_name: `Nora ${nth}` })),
    "POST /conversations": json((nth) => ({
      channel_id: s.channel.id,
      users: [{ id: user_id }],
      messages: [{ ...message(nth), actor_type: "bot", actor_id: "" }],
      status: "resolved",
      properties: {},
    })),
    "POST /conversations/{conversation_id}/messages": json((nth) => ({
      ...message(nth),
      actor_type: "bot",
      actor_id: "",
    })),
    "POST /agents": json((nth) => ({ email: `agent-${nth}@acme.example`, first_name: "Nils" })),
    "POST /csat/{conversation_id}": json((nth) => ({
      issue_resolved: true,
      rating: 5,
      additional_feedback: `number ${nth}`,
    })),
    "POST /images/upload": (nth) => formOf([filePart(image, { part: "image", name: `${nth}.png`, type: "image/png" })]),
    "POST /files/upload": (nth) => formOf([filePart(`number ${nth}`, { name: "a.txt" })]),
    "POST /outbound-messages/{provider}": json((nth) => {
      const input = outboundRequest();
      return { ...input, from: { phone_number: `+1202555${String(1_000 + nth).slice(-4)}` } };
    }),
    "POST /reports/raw": json((nth) => ({
      start: new Date(now - HOUR_MS - nth * 1_000).toISOString(),
      end: new Date(now).toISOString(),
      event: "CSAT-Score",
      format: "csv",
    })),
  };
};

const post = (url: string, path: string, headers: Record<string, unknown>, body: string | Buffer, agent: Agent) =>
  new Promise<IdempotentReply>((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const options = { hostname, port, method: "POST", path: `/v2${path}`, agent };
    const one = request({ ...options, headers: { ...headers, "content-length": Buffer.byteLength(body) } as never });
    one.on("error", reject);
    one.on("response", (reply) => {
      const chunks: Buffer[] = [];
      reply.on("data", (chunk: Buffer) => chunks.push(chunk));
      reply.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        const status = reply.statusCode ?? 0;
        resolve({
          status,
          text,
          token: status < 400 ? "" : (JSON.parse(text) as { status: string }).status,
          isReplay: reply.headers[IDEMPOTENCY_REPLAYED.toLowerCase()] === "true",
          headers: reply.headers,
        });
      });
    });
    one.end(body);
  });

export async function idempotencyHarness(options: ServiceHarnessOptions = {}): Promise<IdempotencyHarness> {
  const s = await conversationsHarness({ ...options, config: { reports: UNLIMITED_QUOTA, ...options.config } });
  await saveTemplate(s, GREETING_TEMPLATE);
  const { conversation_id, user_id } = await s.createConversation();
  const bodies = await bodiesOf(s, user_id);
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const pool = s.database.pool(SERVICE_SCHEMA, { max: 2 });
  const creatingRequests = CREATING_ENDPOINTS.map(([route, code, table]) => ({
    route,
    code,
    table,
    path: route.slice(5).replace("{conversation_id}", conversation_id).replace("{provider}", "chatapp"),
    type: route.endsWith("upload") ? FORM_TYPE : JSON_TYPE,
    body: bodies[route] ?? (() => ""),
  }));
  const creatingRequest = (route: string): CreatingRequest => {
    const found = creatingRequests.find((each) => each.route === route);
    if (!found) throw new Error(`there is no maker ${route}`);
    return found;
  };
  return {
    ...s,
    user_id,
    conversation_id,
    creatingRequests,
    creatingRequest,
    pool,
    sendRequest: ({ path, type, body }, nth, key, { url = s.url, token = s.token } = {}) => {
      const headers = {
        "content-type": type,
        authorization: `Bearer ${token}`,
        ...(key !== undefined && { [IDEMPOTENCY_KEY]: key }),
      };
      return post(url, path, headers, body(nth), agent);
    },
    countRows: async (table) => {
      const count = statement("", `select count(*)::integer as count from ${table}`);
      return (await pool.one<{ count: number }>(count, []))?.count ?? 0;
    },
    async close() {
      agent.destroy();
      await pool.end();
      await s.close();
    },
  };
}

/** Removes the signatures of URLs, which differ between responses. */
export const withoutSignatures = (text: string): string => text.replace(/\?[^"]*/g, "");

/** Numbers for keys that no two tests share. */
let last = 0;
export const newIdempotencyKey = (): string => `key-${process.pid}-${++last}`;
