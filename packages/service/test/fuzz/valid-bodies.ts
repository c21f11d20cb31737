import { REPORT_EVENTS } from "@parley/contract";
import fc from "fast-check";
import type { Pick } from "./generated-values.ts";

const pick = (kind: string): fc.Arbitrary<Pick> => fc.nat({ max: 30 }).map((nth) => ({ $pick: kind, nth }));
const text = fc.string({ minLength: 1, maxLength: 30, unit: "grapheme" }).map((content) => ({ text: { content } }));
const byUser = fc.record({ actor_type: fc.constant("user"), actor_id: pick("user"), message_parts: fc.tuple(text) });
const byOthers = fc.oneof(
  fc.record({
    actor_type: fc.constant("agent"),
    actor_id: pick("agent"),
    message_type: fc.constantFrom("normal", "private"),
    message_parts: fc.tuple(text),
  }),
  fc.record({
    actor_type: fc.constant("bot"),
    message_parts: fc.tuple(text),
    restrictResponse: fc.boolean(),
    reply_parts: fc.constant([{ collection: { sub_parts: [{ quick_reply_button: { label: "Yes" } }] } }]),
  }),
);

const HOUR_MS = 3_600_000;
/** Rounded to the hour, so that a seed is reproducible for some time. */
const hoursAgo = (hours: number): string =>
  new Date((Math.floor(Date.now() / HOUR_MS) - hours) * HOUR_MS).toISOString();
const reminder = {
  header: { type: "text", params: [{ data: "Monday" }] },
  body: { params: [{ data: "Ann" }, { data: "noon" }] },
};

/** Bodies that are valid by rules that random values rarely satisfy, and that lead to further states. */
export const VALID_BODIES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  createConversation: pick("user").chain((user) =>
    fc.record({
      channel_id: pick("channel"),
      users: fc.constant([{ id: user }]),
      messages: byUser.map((message) => [{ ...message, actor_id: user }]),
    }),
  ),
  createMessage: fc.oneof(byUser, byOthers),
  updateConversation: fc.oneof(
    fc.constantFrom({ status: "resolved" }, { status: "reopened" }, { status: "new" }),
    fc.record({ status: fc.constant("assigned"), assigned_agent_id: pick("agent") }),
    fc.record({ status: fc.constant("assigned"), assigned_group_id: pick("group") }),
    fc.constantFrom({ assigned_agent_id: "" }, { assigned_group_id: "" }, { properties: { priority: "High" } }),
  ),
  createAgent: fc.record({
    email: fc.uuid().map((id) => `${id}@acme.example`),
    first_name: fc.constant("Ann"),
    groups: fc.array(pick("group"), { maxLength: 2 }),
  }),
  updateAgentStatus: fc.record({ agent_status: pick("status") }),
  updateAgent: fc.record({ groups: fc.array(pick("group"), { maxLength: 2 }), locale: fc.constant("en") }),
  createCsat: fc.oneof(
    fc.record({ issue_resolved: fc.constant(true), rating: fc.integer({ min: 1, max: 5 }) }),
    fc.record({ issue_resolved: fc.constant(false), reopen_conversation: fc.boolean() }),
  ),
  createReport: fc.record({
    event: fc.constantFrom(...REPORT_EVENTS),
    start: fc.integer({ min: 21, max: 44 }).map(hoursAgo),
    end: fc.integer({ min: 1, max: 20 }).map(hoursAgo),
    format: fc.constant("csv"),
    should_exclude_pii: fc.boolean(),
  }),
  sendOutboundMessage: fc.record({
    from: fc.constant({ phone_number: "+12015550100" }),
    to: fc.constantFrom("+12015550123", "+12015550124").map((phone_number) => [{ phone_number }]),
    provider: fc.constantFrom("chatapp", "whatsapp"),
    data: fc.constantFrom("welcome", "appointment_reminder", "spring_sale").map((template_name) => ({
      message_template: {
        storage: "conversation",
        template_name,
        namespace: "acme_shop",
        language: { policy: "deterministic", code: "en" },
        rich_template_data: template_name === "welcome" ? {} : reminder,
      },
    })),
  }),
};

/** The same for query parameters. */
export const VALID_QUERIES: Readonly<Record<string, fc.Arbitrary<string>>> = {
  start: fc.integer({ min: 21, max: 400 }).map(hoursAgo),
  end: fc.integer({ min: 0, max: 20 }).map(hoursAgo),
};
