import { readFile, symlink, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ROOT, temporaryFolder } from "../../../test/support/parley-process.ts";
import { startServe, type ServeHarness } from "./serve-harness.ts";

/** Traces of `parley serve` with the SDK of OpenTelemetry, loaded as the documentation says, and a receiver of its protocol. */

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, string | number>>;
}
interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code?: number; readonly message?: string };
}
interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

const spans: Span[] = [];
let received = "";
const receiver: Server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => void chunks.push(chunk));
  request.on("end", () => {
    const text = Buffer.concat(chunks).toString();
    received += text;
    for (const { scopeSpans } of (JSON.parse(text) as Export).resourceSpans)
      spans.push(...scopeSpans.flatMap((scope) => scope.spans));
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
});

const folder = await temporaryFolder();
let serve: ServeHarness;
let conversation: string;
/** The code block of the documentation that begins with the name of the file. */
const documented = async (name: string): Promise<string> => {
  const page = await readFile(join(ROOT, "docs/operators/monitoring.md"), "utf8");
  const [, code] = new RegExp(`\`\`\`js\\n(// ${name}\\n[^]*?)\`\`\``).exec(page) ?? [];
  if (code === undefined) throw new Error(`The documentation has no file ${name}.`);
  return code;
};
beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const { port } = receiver.address() as AddressInfo;
  const file = join(folder.folder, "tracing.mjs");
  await writeFile(file, await documented("tracing.mjs"));
  await symlink(join(ROOT, "node_modules"), join(folder.folder, "node_modules"));
  serve = await startServe(["--workers", "2"], {
    NODE_OPTIONS: `--import=${file}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_BSP_SCHEDULE_DELAY: "100",
  });
  await serve.publish();
  await serve.install("acme");
  conversation = await serve.write("acme", "my secret words");
  await serve.untilReplies("acme", conversation, 1);
}, 240_000);
afterAll(async () => {
  await serve?.stop();
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
  await folder.remove();
});

const attributesOf = (span: Span): Record<string, unknown> =>
  Object.fromEntries(span.attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
/** Polls until a span with the name was received. */
const named = (name: string, holds: (span: Span) => boolean = () => true): Promise<Span> =>
  serve.until(() => spans.find((span) => span.name === name && holds(span)));
/** The span that caused this span. */
const parentOf = (span: Span): Promise<Span> =>
  serve.until(() => spans.find(({ spanId, traceId }) => spanId === span.parentSpanId && traceId === span.traceId));

describe("a trace", () => {
  test("leads from a request through the event, its delivery and the app's handler to the request that the app makes", async () => {
    const answer = await named("POST /conversations/{conversation_id}/messages");
    const names: string[] = [];
    for (let span = answer; ; span = await parentOf(span)) {
      names.unshift(span.name);
      if (!span.parentSpanId) break;
    }
    expect(names).toEqual([
      "POST /conversations",
      "deliver message_create",
      "receive message_create",
      "greeter onMessageCreate",
      "request reply",
      "POST /conversations/{conversation_id}/messages",
    ]);
  });

  test("has the route, status and account of a request", async () => {
    const request = await named("POST /conversations");
    expect(attributesOf(request)).toMatchObject({
      "http.route": "POST /conversations",
      "http.response.status_code": 202,
      "parley.account": "acme",
    });
    expect(request.status.code ?? 0).toBe(0);
  });

  test("continues that of the client", async () => {
    const traceId = "0af7651916cd43dd8448eb211c80319c";
    await fetch(`${new URL(serve.announced.service).origin}/v2/agents`, {
      headers: { authorization: `Bearer ${serve.announced.token}`, traceparent: `00-${traceId}-b7ad6b7169203331-01` },
    });
    const span = await named("GET /agents", (each) => each.traceId === traceId);
    expect(span.parentSpanId).toBe("b7ad6b7169203331");
  });

  test.each([
    ["is not a trace", "0"],
    ["has no flags", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331"],
    ["has only zeros", `00-${"0".repeat(32)}-b7ad6b7169203331-01`],
    ["is long", "ff".repeat(4_000)],
  ])("begins anew when the header of the client %s", async (_, traceparent) => {
    const before = spans.length;
    await fetch(`${new URL(serve.announced.service).origin}/v2/groups`, {
      headers: { authorization: `Bearer ${serve.announced.token}`, traceparent },
    });
    const span = await serve.until(() => spans.slice(before).find(({ name }) => name === "GET /groups"));
    expect(span.parentSpanId ?? "").toBe("");
  });

  test("contains no text of a customer, no key and no id of a customer", async () => {
    await named("POST /conversations/{conversation_id}/messages");
    const client = await serve.client("acme");
    const { messages } = await client.messages.listMessages({ params: { conversation_id: conversation }, query: {} });
    const customer = messages.find(({ actor_type }) => actor_type === "user")?.actor_id ?? "";
    for (const text of ["secret words", "Hello", serve.announced.token, serve.adminKey, conversation, customer])
      expect(received).not.toContain(text);
    expect(spans.filter(({ status }) => status.message !== undefined)).toEqual([]);
  });
});

test("the process of an app gets neither the operator's SDK nor its settings", async () => {
  const reply = serve.untilReplies("acme", conversation, 2);
  await serve.say("acme", conversation, "another");
  await reply;
  // Each process that exports names itself by its id: the app's process is not among them.
  const processes = new Set(
    [...received.matchAll(/"key":"process\.pid","value":\{"intValue":"?(\d+)"?\}/g)].map(([, pid]) => Number(pid)),
  );
  const known = [serve.announced.pid, ...serve.announced.workers, ...serve.announced.appWorkers];
  expect(processes.size).toBeGreaterThan(2);
  expect([...processes].filter((pid) => !known.includes(pid))).toEqual([]);
});
