import { beforeAll, describe, expect, test } from "@jest/globals";
import { conciergeHarness } from "./harness.ts";

/** Events of other systems, sent to the address that the panel shows. */

const SETTINGS = {
  sync_in: true,
  outbound_events: [
    "order.shipped => order_shipped (en): {{user.first_name}}, {{data.number}}; image: {{data.image}}; button: {{data.number}}",
    "appointment.booked => appointment_reminder (en): {{user.first_name}}, {{data.time}}; header: {{data.day}}",
  ].join("\n"),
  outbound_from: "+1 202 555 0100",
  outbound_namespace: "acme_shop",
};

let w: Awaited<ReturnType<typeof conciergeHarness>>;
let address: string;
const showAddress = async (args: object = {}) => (await w.function("panelAddress", { ...args })).output;
beforeAll(async () => {
  w = await conciergeHarness(SETTINGS);
  ({ address } = (await showAddress()) as { address: string });
});

const post = async (body: string, type = "application/json", to = address) => {
  const answer = await fetch(to, { method: "POST", headers: { "content-type": type }, body });
  return { status: answer.status, message: ((await answer.json()) as { message?: string }).message };
};
const postEvent = (body: unknown) => post(JSON.stringify(body));
const usersOf = async (reference_id: string) => (await w.api.users.listUsers({ query: { reference_id } })).users;
/** Messages to a number, newest first. */
const sentTo = async (phone: string) =>
  (await w.api.outbound.listOutboundMessages({ query: { items_per_page: 100 } })).outbound_messages.filter(
    ({ to }) => to[0]?.phone_number === phone,
  );
const lastLogLines = async () =>
  (await w.invocations({ event: "onExternalEvent" })).at(-1)?.lines.map(({ text }) => text) ?? [];

test("a shipped order creates the customer and sends the template message, once", async () => {
  const order = {
    id: "order-1001",
    event: "order.shipped",
    user: { reference_id: "c-1", phone: "+1 (202) 555-0101", first_name: "Ada", properties: { plan: "Pro" } },
    data: { number: "1001", image: "https://shop.example.com/1001.png" },
  };
  expect(await postEvent(order)).toEqual({ status: 200 });
  expect(await postEvent(order)).toEqual({ status: 200 });
  const [ada, ...more] = await usersOf("c-1");
  expect(more).toEqual([]);
  expect(ada).toMatchObject({
    first_name: "Ada",
    phone: "+12025550101",
    properties: [{ name: "plan", value: "Pro" }],
  });
  const sent = await sentTo("+12025550101");
  expect(sent).toMatchObject([
    {
      from: { phone_number: "+12025550100" },
      data: {
        message_template: {
          storage: "conversation",
          template_name: "order_shipped",
          namespace: "acme_shop",
          language: { policy: "deterministic", code: "en" },
          rich_template_data: {
            header: { type: "image", media_url: "https://shop.example.com/1001.png" },
            body: { params: [{ data: "Ada" }, { data: "1001" }] },
            button: [{ subType: "url", params: [{ data: "1001" }] }],
          },
        },
      },
    },
  ]);
});

test("a form updates known fields of the customer, and leaves fields that are empty or absent", async () => {
  const { id } = await w.api.users.createUser({
    body: { email: "ben@example.com", first_name: "Ben", last_name: "Old", phone: "+12025550103" },
  });
  const form = new URLSearchParams({
    event: "appointment.booked",
    "user.email": "ben@example.com",
    "user.first_name": "",
    "user.last_name": "New",
    "user.properties.plan": "Pro",
    "data.day": "Monday",
    "data.time": "9:00",
  }).toString();
  expect(await post(form, "application/x-www-form-urlencoded")).toEqual({ status: 200 });
  expect(await w.api.users.getUser({ params: { user_id: id } })).toMatchObject({
    first_name: "Ben",
    last_name: "New",
    phone: "+12025550103",
    properties: [],
  });
  expect(await sentTo("+12025550103")).toMatchObject([
    { data: { message_template: { rich_template_data: { header: { type: "text", params: [{ data: "Monday" }] } } } } },
  ]);
});

test("concurrent copies and concurrent events of one new customer create one customer and one message", async () => {
  const user = { reference_id: "c-2", phone: "+12025550104", first_name: "Cleo" };
  const booked = { id: "b-1", event: "appointment.booked", user, data: { day: "Monday", time: "9:00" } };
  const created = { id: "u-1", event: "customer.created", user: { ...user, last_name: "Cole" } };
  const responses = await Promise.all([booked, created, booked, created, booked].map(postEvent));
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  await w.clock.advance("1m");
  await w.settled();
  expect(await usersOf("c-2")).toMatchObject([{ first_name: "Cleo", last_name: "Cole" }]);
  expect(await sentTo("+12025550104")).toHaveLength(1);
});

test("the later of two reports takes precedence in any order, and an agent's later change is kept", async () => {
  const now = (await w.clock.advance("1h")).now;
  const before = (minutes: number) => new Date(Date.parse(now) - minutes * 60_000).toISOString();
  const userEvent = (id: string, time: string, last_name: string) => ({
    id,
    event: "customer.updated",
    time,
    user: { reference_id: "c-3", last_name },
  });
  await postEvent(userEvent("t-2", before(10), "Second"));
  await postEvent(userEvent("t-1", before(20), "First"));
  const [user] = await usersOf("c-3");
  expect(user?.last_name).toBe("Second");
  await w.api.users.updateUser({ params: { user_id: user?.id ?? "" }, body: { last_name: "Agent" } });
  await postEvent(userEvent("t-3", before(5), "Third"));
  expect((await usersOf("c-3"))[0]?.last_name).toBe("Agent");
  await w.clock.advance("1s");
  await postEvent({ id: "t-4", event: "customer.updated", user: { reference_id: "c-3", last_name: "Fourth" } });
  expect((await usersOf("c-3"))[0]?.last_name).toBe("Fourth");
});

test("the first of several customers with one address is used, and another reference_id is another customer", async () => {
  for (const first_name of ["One", "Two"])
    await w.api.users.createUser({ body: { email: "family@example.com", first_name } });
  await postEvent({ id: "f-1", event: "customer.updated", user: { email: "family@example.com", last_name: "Fry" } });
  const family = async () => (await w.api.users.listUsers({ query: { email: "family@example.com" } })).users;
  expect((await family()).map(({ last_name }) => last_name)).toEqual(["Fry", undefined]);
  expect((await lastLogLines()).join("\n")).toContain("Several users have the same email");
  await w.api.users.createUser({ body: { email: "gus@example.com", reference_id: "g-1" } });
  await postEvent({ id: "g-2", event: "customer.created", user: { email: "gus@example.com", reference_id: "g-2" } });
  expect(await usersOf("g-2")).toHaveLength(1);
});

describe("an invalid event is refused with a reason and without a change:", () => {
  test.each([
    [400, { event: "x" }, "user needs one of reference_id, email, phone."],
    [400, { user: { email: "x@example.com" } }, "event is missing, such as order.shipped."],
    [
      400,
      { event: "x", user: { email: "x@example.com", vip: true } },
      '"vip" isn\'t known in user: use reference_id, email, phone, first_name, last_name, properties.',
    ],
    [400, ["x"], "The body must be a JSON object, or a form."],
    [
      413,
      { event: "x", user: { email: "x@example.com" }, data: { text: "x".repeat(30_000) } },
      "The body has more than 30000 characters.",
    ],
  ])("%d: case %#", async (status, body, message) => {
    expect(await postEvent(body)).toEqual({ status, message });
    expect((await w.api.users.listUsers({ query: { email: "x@example.com" } })).users).toEqual([]);
  });
  test("an external event is refused with 400 for XML and 413 above the host's limit", async () => {
    expect(await post("<order/>", "application/xml")).toMatchObject({ status: 400 });
    expect((await postEvent({ text: "x".repeat(102_400) })).status).toBe(413);
  });
});

test("a template message that can't be sent is logged, and the customer is created", async () => {
  await postEvent({ id: "n-1", event: "order.shipped", user: { reference_id: "n-1" }, data: { number: "7" } });
  expect(await usersOf("n-1")).toHaveLength(1);
  expect((await lastLogLines()).at(-1)).toMatch(
    /^Template message for order\.shipped not sent to user [\w-]+: the customer has no phone number\.$/,
  );
});

test("a failure of the account postpones the event, which is processed once and stored without headers", async () => {
  await w.fault({ target: "app", kind: "status", status: 503, times: 2 });
  const body = { id: "p-1", event: "customer.created", user: { reference_id: "p-1", first_name: "Pia" } };
  expect(await postEvent(body)).toEqual({ status: 200 });
  expect(await usersOf("p-1")).toEqual([]);
  expect(await postEvent(body)).toEqual({ status: 200 });
  await w.clock.advance("3m");
  await w.settled();
  expect(await usersOf("p-1")).toMatchObject([{ first_name: "Pia" }]);
});

test("the address is shown once, revoked by a renewal, and refused while the feature is off", async () => {
  expect(await showAddress()).toEqual({ shown: true });
  const old = address;
  ({ address } = (await showAddress({ renew: true })) as { address: string });
  expect(address).not.toBe(old);
  expect(await showAddress()).toEqual({ shown: true });
  const body = { id: "r-1", event: "customer.created", user: { reference_id: "r-1" } };
  expect((await post(JSON.stringify(body), "application/json", old)).status).toBe(404);
  await w.install({ ...SETTINGS, sync_in: false });
  expect(await postEvent(body)).toEqual({
    status: 403,
    message: "Concierge takes nothing in: its setting for that is switched off.",
  });
  expect(await usersOf("r-1")).toEqual([]);
  expect(await w.function("panelAddress")).toMatchObject({ ok: false });
});
