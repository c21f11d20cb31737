import { textOfProblems } from "./lines.ts";
import { settingsOf } from "./settings.ts";
import { readTemplate } from "./template.ts";
import { viewOf, type Subject } from "./view.ts";

/** A customer of whom everything is known, for the person who writes the template. */
const SAMPLE = {
  user: {
    first_name: "Ada",
    last_name: "Example",
    email: "ada@example.com",
    phone: "+15550100",
    properties: [{ name: "plan", value: "Pro" }],
  },
  channel: { name: "Support" },
  conversation: { status: "new", properties: { priority: "Low" } },
} as const satisfies Subject;
/** A morning. */
const NOW = new Date("2027-03-02T09:00:00Z");

/** The hint stands in the place of the parameter's description, so it says again what can be written. */
const PLACES =
  "Placeholders: {{user.first_name}}, {{channel.name}}, {{bot.name}}. {{#if user.first_name}} … {{/if}} is for customers with a name.";

/** What the installation page shows at the welcome message. */
export interface Preview {
  readonly hint: string;
  readonly problem?: string;
}

/** Renders the template for a customer called Ada, and for one of whom nothing is known. */
export function previewOf(template: string, botName: string): Preview {
  const welcome = readTemplate(template);
  if (!welcome.ok) return { hint: PLACES, problem: textOfProblems([welcome.problem]) };
  const settings = settingsOf({ bot_name: botName });
  const [known, unknown] = [SAMPLE, {}].map((subject) => welcome.render(viewOf(settings, subject, NOW)));
  if (!known && !unknown) return { hint: PLACES, problem: "The welcome message says nothing." };
  if (known === unknown) return { hint: `${PLACES}\nPreview: ${known}` };
  return { hint: `${PLACES}\nPreview for Ada: ${known || "(nothing)"}\nWithout a name: ${unknown || "(nothing)"}` };
}
