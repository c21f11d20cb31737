import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { OutboundStatus } from "@parley/contract";
import { statement } from "@parley/database";
import fc from "fast-check";
import { realPorts, SERVICE_SCHEMA } from "../../../src/index.ts";
import { moveMessage } from "../../../src/messaging/outbound/statuses.sql.ts";
import { isPhone } from "../../../src/messaging/outbound/phone.ts";
import { SANDBOX_NUMBERS } from "../../../src/messaging/outbound/provider.ts";
import { STATUSES_BEFORE, type StatusReport } from "../../../src/messaging/outbound/outbound-message.ts";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";
import {
  fakeClock,
  GREETING_TEMPLATE,
  messagesOfRequest,
  MINUTE_MS,
  RECIPIENT_NUMBERS,
  saveTemplate,
  outboundRequest,
  sendOutbound,
  untilStatuses,
  pollUntil,
} from "./outbound-fixture.ts";

const time = fakeClock();
let w: ServiceHarness;
beforeAll(async () => {
  w = await serviceHarness({ ports: { now: time.now } });
  await saveTemplate(w, GREETING_TEMPLATE);
});
afterAll(() => w.close());

const EVENTS = statement(
  "",
  `select created_time, actor_type, changes::json #> '{model_changes,status}' as status
     from outbox where entity_id = $1 and kind = 'outbound_message_update' order by seq`,
);
interface EventRow {
  readonly created_time: Date;
  readonly actor_type: string;
  readonly status: [OutboundStatus, OutboundStatus];
}
const eventsOf = async (id: string) => {
  const pool = w.database.pool(SERVICE_SCHEMA, { max: 1 });
  const rows = await pool.rows<EventRow>(EVENTS, [id]);
  await pool.end();
  return rows;
};

describe("the sandbox", () => {
  test("delivers, fails, delays or stays silent, depending on the number", async () => {
    const numbers = [
      RECIPIENT_NUMBERS.delivered,
      RECIPIENT_NUMBERS.failed,
      RECIPIENT_NUMBERS.slow,
      RECIPIENT_NUMBERS.never,
      RECIPIENT_NUMBERS.other,
    ];
    const { request_id } = await sendOutbound(w, outboundRequest({}, numbers));
    const messages = await untilStatuses(w, request_id, "Delivered", "Failed", "Sent", "Sent", "Delivered");
    expect(messages[1]).toMatchObject({
      failure_code: "RECIPIENT_UNREACHABLE",
      failure_reason: "The recipient does not use the chat app.",
    });
    for (const index of [0, 2, 3, 4]) expect(messages[index]).not.toHaveProperty("failure_code");
    time.advance(MINUTE_MS);
    await untilStatuses(w, request_id, "Delivered", "Failed", "Delivered", "Sent", "Delivered");
  });

  test("has a documented number for each behaviour", () => {
    const page = readFileSync(new URL("../../../../../docs/integrators/outbound-messages.md", import.meta.url), "utf8");
    for (const number of Object.keys(SANDBOX_NUMBERS)) {
      expect(isPhone(number)).toBe(true);
      expect(page).toContain(`| \`${number}\` |`);
    }
  });

  test("each status is an event, in order, by the service's clock", async () => {
    const { request_id } = await sendOutbound(w, outboundRequest({}, [RECIPIENT_NUMBERS.failed]));
    const [message] = await untilStatuses(w, request_id, "Failed");
    const events = await eventsOf(message?.message_id ?? "");
    expect(events.map(({ status }) => status)).toEqual([
      ["Accepted", "Sent"],
      ["Sent", "Failed"],
    ]);
    expect(events[0]).toMatchObject({ actor_type: "system", created_time: time.now() });
  });

  test("an accepted message is sent unchanged, even if the template changes", async () => {
    const body = outboundRequest({ storage: "conversation" });
    const { request_id } = await sendOutbound(w, body);
    await saveTemplate(w, { ...GREETING_TEMPLATE, status: "rejected", body: { text: "{{1}} {{2}} {{3}}" } });
    const [message] = await untilStatuses(w, request_id, "Delivered");
    expect(message?.data).toEqual(body.data);
    await saveTemplate(w, GREETING_TEMPLATE);
  });
});

const FAILURE = { code: "X", reason: "Y" };
const report = fc.constantFrom<StatusReport>(
  { status: "Sent" },
  { status: "Delivered" },
  { status: "Failed", failure: FAILURE },
);

describe("statuses of outbound messages", () => {
  test("only advance, for any reports in any order and number", async () => {
    const pool = w.database.pool(SERVICE_SCHEMA, { max: 2 });
    await fc.assert(
      fc.asyncProperty(fc.array(report, { maxLength: 6 }), async (reports) => {
        const { request_id } = await sendOutbound(w, outboundRequest({}, [RECIPIENT_NUMBERS.never]));
        const [message] = await untilStatuses(w, request_id, "Sent");
        const id = message?.message_id ?? "";
        const results: boolean[] = [];
        for (const each of reports)
          results.push(await moveMessage(pool, id, each, { now: time.now(), eventId: realPorts.newId() }));
        // The first final status that is reported remains.
        const end = reports.findIndex(({ status }) => status !== "Sent");
        expect(results).toEqual(reports.map((_, index) => index === end));
        const [after] = await messagesOfRequest(w, request_id);
        expect(after?.status).toBe(reports[end]?.status ?? "Sent");
        expect(after?.failure_code).toBe(reports[end]?.status === "Failed" ? "X" : undefined);
        expect(await eventsOf(id)).toHaveLength(end === -1 ? 1 : 2);
      }),
      { numRuns: 15 },
    );
    await pool.end();
  });

  test("change once for two concurrent reports", async () => {
    const pool = w.database.pool(SERVICE_SCHEMA, { max: 4 });
    for (let round = 0; round < 5; round += 1) {
      const { request_id } = await sendOutbound(w, outboundRequest({}, [RECIPIENT_NUMBERS.never]));
      const id = (await untilStatuses(w, request_id, "Sent"))[0]?.message_id ?? "";
      const moved = await Promise.all(
        Array.from({ length: 4 }, (_, index) =>
          moveMessage(pool, id, index % 2 === 0 ? { status: "Delivered" } : { status: "Failed", failure: FAILURE }, {
            now: time.now(),
            eventId: realPorts.newId(),
          }),
        ),
      );
      expect(moved.filter(Boolean)).toHaveLength(1);
      expect(await eventsOf(id)).toHaveLength(2);
    }
    await pool.end();
  });

  test("have no way back in the table of transitions", () => {
    const ranks: Record<OutboundStatus, number> = { Accepted: 0, Sent: 1, Delivered: 2, Failed: 2 };
    for (const [to, froms] of Object.entries(STATUSES_BEFORE) as [OutboundStatus, OutboundStatus[]][])
      for (const from of froms) expect(ranks[from]).toBeLessThan(ranks[to]);
  });
});

test("an event of an outbound message is skipped by an app, and delays no event after it", async () => {
  const received: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      received.push((JSON.parse(body) as { kind: string }).kind);
      response.writeHead(200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await w.admin.subscribe({ account: "acme", name: "ear", kind: "app", url: `http://127.0.0.1:${port}/` });
  const { request_id } = await sendOutbound(w, outboundRequest());
  await untilStatuses(w, request_id, "Delivered");
  await w.client.users.createUser({ body: { first_name: "Ada" } });
  await pollUntil(
    async () => received,
    (kinds) => kinds.includes("user_create"),
  );
  const pool = w.database.pool(SERVICE_SCHEMA, { max: 1 });
  const DEAD = statement("", "select count(*)::integer as count from deliveries where state = 'dead'");
  expect(await pool.one(DEAD, [])).toEqual({ count: 0 });
  // Cursors advance past events without subscribers.
  const BEHIND = statement(
    "",
    `select count(*)::integer as count from outbox o join cursors c on c.partition = o.partition
      where o.kind = 'outbound_message_update' and c.seq < o.seq and o.seq > (select max(start_seq) from subscriptions)`,
  );
  await pollUntil(
    () => pool.one<{ count: number }>(BEHIND, []),
    (row) => row?.count === 0,
  );
  await pool.end();
  expect(new Set(received)).toEqual(new Set(["user_create"]));
  await new Promise((resolve) => server.close(resolve));
});
