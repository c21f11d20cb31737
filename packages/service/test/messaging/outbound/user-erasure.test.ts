import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { statement } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";
import {
  GREETING_TEMPLATE,
  templateParams,
  saveTemplate,
  outboundRequest,
  sendOutbound,
  untilStatuses,
} from "./outbound-fixture.ts";
import { greetingText, recipientFixture } from "./recipient-fixture.ts";

let w: ServiceHarness;
beforeAll(async () => {
  w = await serviceHarness();
  await saveTemplate(w, GREETING_TEMPLATE);
});
afterAll(() => w.close());
const { list, messageTexts, newPhoneNumber, createUser, createConversation, sendGreeting } = recipientFixture(() => w);

describe("DELETE /users/{user_id}", () => {
  const TABLES = statement(
    "",
    "select tablename as name from pg_tables where schemaname = current_schema() order by 1",
  );
  const tablesWith = async (text: string): Promise<string[]> => {
    const pool = w.database.pool(SERVICE_SCHEMA, { max: 1 });
    const found: string[] = [];
    for (const { name } of await pool.rows<{ name: string }>(TABLES, [])) {
      const count = statement("", `select 1 as one from ${name} where ${name}::text like $1 limit 1`);
      if (await pool.one(count, [`%${text}%`])) found.push(name);
    }
    await pool.end();
    return found;
  };

  test("removes the user's numbers and the texts to that user only, and keeps others' messages", async () => {
    const [old, phone, other] = [newPhoneNumber(), newPhoneNumber(), newPhoneNumber()];
    const id = await createUser(old);
    await w.client.users.updateUser({ params: { user_id: id }, body: { phone: `+1 202-555-01${phone.slice(-2)}` } });
    const requests = [await sendGreeting(old, "canary"), await sendGreeting(phone, "canary")];
    const many = await sendOutbound(
      w,
      outboundRequest({ rich_template_data: { body: { params: templateParams("All", "sunny") } } }, [phone, other]),
    );
    await untilStatuses(w, many.request_id, "Delivered", "Delivered");
    const { conversation_id } = await createConversation(id);
    expect(await messageTexts(conversation_id)).toEqual([greetingText("canary"), "hello"]);

    await w.client.users.deleteUser({ params: { user_id: id } });
    for (const text of ["canary", phone, old]) expect(await tablesWith(text)).toEqual([]);
    const [template] = await list(conversation_id);
    expect(template).toMatchObject({ message_source: "outbound", message_parts: [{ text: { content: "" } }] });
    for (const request_id of requests) {
      const [message] = await untilStatuses(w, request_id, "Delivered");
      expect(message?.to).toEqual([{ phone_number: "" }]);
      expect(message?.data.message_template).not.toHaveProperty("rich_template_data");
    }
    const [gone, stored] = await untilStatuses(w, many.request_id, "Delivered", "Delivered");
    expect([gone?.to, stored?.to]).toEqual([[{ phone_number: "" }], [{ phone_number: other }]]);
    expect(stored?.data.message_template.rich_template_data?.body?.params).toEqual(templateParams("All", "sunny"));
  });
});
