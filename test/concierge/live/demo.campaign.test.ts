import { expect, test } from "@jest/globals";
import { run } from "../../support/parley-process.ts";

/** `npm run demo`: its output for each use case, and that it leaves nothing. */

test("the demo prints a day of a business and exits", async () => {
  const { status, stdout, stderr } = await run([process.execPath, "scripts/demo.mjs", "--exit"]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const lines = stdout.split("\n").map((line) => line.trim());
  for (const line of [
    "Concierge: Hi Ada, this is Concierge. What can we do for you today?",
    "· the conversation: new, group Support, priority High",
    "Ada: Yes, keep it",
    '(note for agents) Routed: group Billing, priority High. Line 1: the message has "refund".',
    "· Concierge: Took the customer's rating: 5 of 5 points.",
    "(note for agents) The customer gave 1 of 5 points. Opened again: group Returns, priority Urgent.",
    "Concierge: Hi Ada, your order 1041 is on its way.",
    "→ to the shop's CRM: Report of Monday, 2026-01-05",
    "Concierge: Are you still there? We are glad to go on when you are.",
    "(note for agents) Resolved. The customer was asked once more, and has not answered for 3 hours.",
    "Concierge: Welcome back, Ada! What can we do for you today?",
    "· Concierge: Put into the queue until Wednesday 7 January, 09:00. Outside business hours.",
    "Concierge: Good morning, Eve! We are back, and somebody will be with you soon.",
  ])
    expect(lines).toContain(line);
  // The provider may have sent or delivered it by then.
  expect(stdout).toMatch(/Template message to \+12025550101: (Accepted|Sent|Delivered)/);
});
