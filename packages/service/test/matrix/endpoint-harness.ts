import { request } from "node:http";
import { api, BASE_PATH, routeOf, rowsOf, type Endpoint } from "@parley/contract";
import { statement } from "@parley/database";
import { SERVICE_SCHEMA } from "../../src/index.ts";
import { waitUntil } from "../../../../test/support/wait-until.ts";
import { serviceHarness, type ServiceHarness, type ServiceHarnessOptions } from "../service-harness.ts";

/** Every endpoint of the contract by its route. */
export const ENDPOINTS: readonly (readonly [route: string, row: Endpoint])[] = rowsOf(api).map(({ row }) => [
  row.route,
  row,
]);

export const UNKNOWN_ID = "3d6f3f7e-0000-4000-8000-000000000000";

/** The parts of a request to an endpoint. */
export interface EndpointRequest {
  readonly token?: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>> | string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface EndpointResponse {
  readonly code: number;
  /** Token of a refusal; "" for any other response. */
  readonly status: string;
  readonly message: string;
  readonly text: string;
}

/** Every object of acme that a path or a body can refer to, and valid requests. */
export interface EndpointHarness extends ServiceHarness {
  readonly soloToken: string;
  /** Ids of existing objects of acme by the names of path parameters. */
  readonly existingIds: Readonly<Record<string, string>>;
  /** By route: a valid request. */
  readonly validRequests: ReadonlyMap<string, Pick<EndpointRequest, "query" | "body">>;
  sendRequest(row: Endpoint, asked?: EndpointRequest): Promise<EndpointResponse>;
  /** For each table the number of rows and a checksum of their contents. */
  tableChecksums(): Promise<Record<string, string>>;
}

/** Tables that change in the background, or count calls. */
const BACKGROUND_TABLES = [
  ...["allowances", "tokens", "cursors", "due_work", "projection_cursors", "metric_hours", "open_interactions"],
  ...["inbox_backfill", "inbox_changes", "inbox_counts", "inbox_entries", "inbox_properties"],
  ...["interactions", "assignments", "responses", "agent_activity", "user_ranks", "user_rank_changes"],
  ...["search_backfill", "search_blocks", "search_chunks", "search_queue", "search_recent"],
];

const TABLES = statement(
  "",
  `select table_name as name from information_schema.tables
    where table_schema = current_schema() and table_type = 'BASE TABLE' and table_name <> all($1::text[])`,
);

const send = (url: string, method: string, path: string, headers: object, body: string | Buffer | undefined) =>
  new Promise<EndpointResponse>((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const sent = request({ hostname, port, method, path, headers: { ...headers } }, (reply) => {
      const chunks: Buffer[] = [];
      // A stream does not end: its headers are the response.
      if (reply.headers["content-type"] === "text/event-stream") {
        reply.on("error", () => undefined).destroy();
        return resolve({ code: reply.statusCode ?? 0, status: "", message: "", text: "" });
      }
      reply.on("data", (chunk: Buffer) => chunks.push(chunk));
      reply.on("end", () => {
        const code = reply.statusCode ?? 0;
        const text = Buffer.concat(chunks).toString();
        const messages = code < 400 ? {} : (JSON.parse(text) as Partial<EndpointResponse>);
        resolve({ code, status: messages.status ?? "", message: messages.message ?? "", text });
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });

const serialized = (body: unknown): string | Buffer | undefined =>
  body === undefined || typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);

export async function endpointHarness(options?: ServiceHarnessOptions): Promise<EndpointHarness> {
  const w = await serviceHarness(options);
  const { client } = w;
  const { token: soloToken } = await w.admin.issueToken({ account: "solo", name: "stage" });
  const user = await client.users.createUser({ body: { first_name: "Zora", email: "zora@acme.example" } });
  const { channels } = await client.channels.listChannels();
  const { agents } = await client.agents.listAgents();
  const channel_id = channels[0]?.id ?? "";
  const message = { actor_type: "user" as const, actor_id: user.id, message_parts: [{ text: { content: "Hi" } }] };
  const opening = { channel_id, messages: [message], users: [{ id: user.id }] };
  const { conversation_id } = await client.conversations.createConversation({ body: opening });
  const range = { start: new Date(Date.now() - 3_600_000).toISOString(), end: new Date().toISOString() };
  const { id: report_id } = await client.reports.createReport({ body: { ...range, event: "Message-Sent" } });
  // Its creation in the background is the only change that could still be in progress.
  await waitUntil(async () => (await client.reports.getReport({ params: { report_id } })).status !== "PENDING");
  const existingIds: Record<string, string> = {
    user_id: user.id,
    agent_id: agents[0]?.id ?? "",
    conversation_id,
    report_id,
    provider: "chatapp",
  };
  const template = { template_name: "none", namespace: "none", language: { code: "en" }, template_data: [] };
  const phone = { phone_number: "+14155550100" };
  const validRequests = new Map<string, Pick<EndpointRequest, "query" | "body">>([
    ["GET /users", { query: { created_from: "2020-01-01T00:00:00.000Z" } }],
    ["POST /users", { body: { first_name: "Ann" } }],
    ["POST /users/fetch", { body: { ids: [user.id] } }],
    ["PUT /users/{user_id}", { body: { last_name: "Lee" } }],
    ["POST /conversations", { body: opening }],
    ["PUT /conversations/{conversation_id}", { body: { status: "resolved" } }],
    ["POST /conversations/{conversation_id}/messages", { body: { ...message, actor_type: "bot", actor_id: "" } }],
    ["POST /agents", { body: { email: "new@acme.example" } }],
    ["PUT /agents/{agent_id}", { body: { biography: "b" } }],
    ["PATCH /agents/{agent_id}", { body: { agent_status: agents[0]?.agent_status } }],
    ["POST /csat/{conversation_id}", { body: { issue_resolved: true, rating: 5 } }],
    [
      "POST /outbound-messages/{provider}",
      { body: { from: phone, provider: "chatapp", to: [phone], data: { message_template: template } } },
    ],
    ["GET /search", { query: { q: "Hi" } }],
    ["POST /reports/raw", { body: { ...range, event: "CSAT-Score" } }],
    [
      "GET /metrics/historical",
      { query: { ...range, metric: "conversation_metrics.created_interactions", interval: "1h" } },
    ],
    ["GET /metrics/instant", { query: { metric: "team_presence.online" } }],
  ]);
  const pool = w.database.pool(SERVICE_SCHEMA, { max: 1 });
  const names = (await pool.rows<{ name: string }>(TABLES, [BACKGROUND_TABLES])).map(({ name }) => name);

  return {
    ...w,
    soloToken,
    existingIds,
    validRequests,
    sendRequest: (row, { token = w.token, params = existingIds, query = {}, body, headers } = {}) => {
      const { method, path } = routeOf(row);
      const at = BASE_PATH + path.replace(/\{(\w+)\}/g, (_, hole: string) => params[hole] ?? UNKNOWN_ID);
      const search = typeof query === "string" ? query : new URLSearchParams(query).toString();
      const content = serialized(body);
      return send(
        w.url,
        method,
        search ? `${at}?${search}` : at,
        {
          ...(token && { authorization: `Bearer ${token}` }),
          ...(content !== undefined && {
            "content-type": "application/json",
            "content-length": Buffer.byteLength(content),
          }),
          ...headers,
        },
        content,
      );
    },
    async tableChecksums() {
      const found: Record<string, string> = {};
      for (const name of names) {
        const counted = statement(
          "",
          `select count(*) || ' ' || coalesce(sum(hashtext(t::text)), 0) as line from ${name} t`,
        );
        found[name] = (await pool.one<{ line: string }>(counted, []))?.line ?? "";
      }
      return found;
    },
    async close() {
      await pool.end();
      await w.close();
    },
  };
}
