/** Events of other products: apps receive them here although those products aren't available. */
import { PERSON, TICKET } from "./stand-in.mjs";

const PRODUCT = /^on([A-Z]\w+?)(Create|Update|Delete|Forward|Reply|Add|Close|Merge|Approval|Publish)$/;

const RECORDS = {
  ticket: { ...TICKET, requester: PERSON },
  conversation: { id: 1, ticket_id: 1, body: "<p>Hello</p>", body_text: "Hello", incoming: true, private: false },
  contact: PERSON,
  company: { id: 1, name: "Acme", domains: ["acme.example.com"] },
  time_entry: { id: 1, ticket_id: 1, agent_id: 1, time_spent: "00:30", billable: true },
  agent: PERSON,
  lead: PERSON,
  deal: { id: 1, name: "A deal", amount: 100 },
  account: { id: 1, name: "Acme" },
  task: { id: 1, title: "Call back" },
  new_hire: { ...PERSON, user_emails: [{ email: PERSON.email }], user: { user_emails: [{ email: PERSON.email }] } },
  employee: { ...PERSON, user_emails: [{ email: PERSON.email }] },
};

const snake = (words) => words.replaceAll(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();

/**
 * Returns the payload of another product's event, by the names of the event and its module: the record under its own name, the actor, and the
 * changes.
 * Returns undefined for an event whose name contains no record.
 */
export const payloadOf = (event, module) => {
  const [, words] = PRODUCT.exec(event) ?? [];
  if (!words) return undefined;
  const noun = snake(words);
  const record = RECORDS[noun] ?? { id: 1, name: "A record", created_at: "2026-03-02T10:00:00Z" };
  const changes = { model_changes: { status: [2, 3], priority: [1, 2] }, ...record };
  const domain = `acme.${module}.com`;
  return {
    domain,
    productContext: { name: module, url: `https://${domain}` },
    data: { actor: PERSON, requester: PERSON, [noun]: { ...record, changes }, associations: {}, changes },
  };
};
