import { describe, expect, test } from "@jest/globals";
import { ADMIN_KEY } from "../../operations/administration/endpoints/admin-harness.ts";
import { refusalToken, conversationsHarness, textParts } from "./conversations-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

/** One conversation with many concurrent changes. */

const s = fileFixture(() => conversationsHarness({ adminKey: ADMIN_KEY }));

test("messages are accepted even if others change the conversation constantly", async () => {
  const { conversation_id: id, user_id } = await s.createConversation();
  let isOver = false;
  let turned = 0;
  const turning = Array.from({ length: 24 }, async (_, index) => {
    for (let turn = index; !isOver; turn++)
      await s.updateConversation(id, { status: turn % 2 ? "resolved" : "new" }).then(
        () => (turned += 1),
        () => undefined,
      );
  });
  const contents = Array.from({ length: 200 }, (_, index) => `${index}`);
  try {
    await Promise.all(
      contents.map((content) =>
        s.createMessage(id, { actor_type: "user", actor_id: user_id, message_parts: textParts(content) }),
      ),
    );
  } finally {
    isOver = true;
    await Promise.all(turning);
  }
  const texts = (await s.listMessages(id)).flatMap(({ message_parts }) => message_parts[0]?.text?.content ?? []);
  expect(texts.filter((content) => contents.includes(content)).sort()).toEqual([...contents].sort());
  expect(turned).toBeGreaterThan(0);
});

/** Fields of the demo account that accept any text or number. */
const FREE = ["cf_order_number", "cf_notes", "cf_items", "cf_amount"] as const;

describe("concurrent PUT /conversations/{conversation_id}", () => {
  test("keep two different properties, and a property and a status, in every round", async () => {
    for (let round = 0; round < 20; round++) {
      const { conversation_id: id } = await s.createConversation();
      await Promise.all([
        s.updateConversation(id, { properties: { cf_order_number: `n-${round}` } }),
        s.updateConversation(id, { properties: { cf_notes: `text ${round}` } }),
        s.updateConversation(id, { status: "assigned", assigned_agent_id: s.agentNamed("Olivia").id }),
      ]);
      expect(await s.getConversation(id)).toMatchObject({
        status: "assigned",
        properties: { cf_order_number: `n-${round}`, cf_notes: `text ${round}` },
      });
    }
  });

  test("of forty requests by two processes keep the last value of each property", async () => {
    const other = await conversationsHarness({ database: s.database });
    try {
      const { conversation_id: id } = await s.createConversation();
      const changes = Array.from({ length: 40 }, (_, index) => {
        const name = FREE[index % FREE.length] ?? "cf_notes";
        return (index % 2 ? other : s).updateConversation(id, { properties: { [name]: `${index}` } });
      });
      const answered = await Promise.all(changes);
      const stored = (await s.getConversation(id)).properties ?? {};
      for (const [at, name] of FREE.entries()) {
        const values = answered.flatMap((_, index) => (index % FREE.length === at ? [`${index}`] : []));
        expect(values).toContain(String(stored[name]));
      }
    } finally {
      await other.close();
    }
  });

  test("of two hundred requests for forty properties by two processes, beside an assignment, keep a value of each property", async () => {
    const names = Array.from({ length: 40 }, (_, index) => `cf_parallel_${index}`);
    const fields = names.map((name) => ({ name, label: name, type: "TEXT" }));
    const reply = await s.raw("PUT", "/admin/accounts/acme", {
      headers: { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "acme", fields }),
    });
    expect(reply.status).toBe(200);
    const other = await conversationsHarness({ database: s.database });
    try {
      const { conversation_id: id } = await s.createConversation();
      const agent = s.agentNamed("Olivia").id;
      const changes = Array.from({ length: 200 }, (_, index) =>
        (index % 2 ? other : s).updateConversation(id, { properties: { [`cf_parallel_${index % 40}`]: `${index}` } }),
      );
      const outcomes = await Promise.all(
        [...changes, s.updateConversation(id, { assigned_agent_id: agent })].map(refusalToken),
      );
      expect(outcomes.filter((outcome) => outcome !== "no refusal")).toEqual([]);
      const { properties = {}, assigned_agent_id } = await s.getConversation(id);
      expect(assigned_agent_id).toBe(agent);
      for (const [index, name] of names.entries()) expect(Number(properties[name]) % 40).toBe(index);
      const events = (await s.loggedEvents(id)).filter(({ kind }) => kind === "conversation_update");
      expect(events.map((event) => JSON.parse(event.changes ?? "null") as unknown)).toEqual([
        { model_changes: { status: ["new", "assigned"], assigned_agent_id: [null, agent] } },
      ]);
    } finally {
      await other.close();
    }
  });

  test("with two different agents succeed at least once, and are refused with CONFLICT otherwise", async () => {
    for (let round = 0; round < 10; round++) {
      const { conversation_id: id } = await s.createConversation();
      const outcomes = await Promise.all(
        ["Olivia", "Maya"].map((name) =>
          refusalToken(s.updateConversation(id, { assigned_agent_id: s.agentNamed(name).id })),
        ),
      );
      expect(outcomes).toContain("no refusal");
      for (const outcome of outcomes) expect(["no refusal", "CONFLICT"]).toContain(outcome);
    }
  });
});
