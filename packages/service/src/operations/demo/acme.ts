import { LOCAL_DOMAIN } from "../../identity/edge/host.ts";
import { BUILT_IN_ROLES } from "../administration/document/sections/agents-and-groups.ts";
import { INITIAL_MESSENGER } from "../administration/document/sections/state.ts";
import { createDemoIds, type DemoAccount, demoAgents, type DemoPerson } from "./demo-account.ts";
import { acmeReplies } from "./acme-replies.ts";
import { acmeChannels, acmeHours, ACME_TEMPLATES, acmeFields } from "./acme-resources.ts";

const idOf = createDemoIds("acme");

const GROUPS = [
  ["Sales", "New customers and orders", "INTELLIASSIGN", "ROUND_ROBIN"],
  ["Support", "Help with a purchase", "INTELLIASSIGN", "LOAD"],
  ["Billing", "Invoices, payments and refunds", "OCR", "OCR"],
  ["Returns", "Assigned by rules, not by the service", "DISABLED", "ROUND_ROBIN"],
] as const;
const groups = GROUPS.map(([name, description, routing_type, routing_logic]) => ({
  id: idOf("group", name),
  name,
  description,
  routing_type,
  routing_logic,
  signed_in_agents_only: true,
  org_id: idOf("org group", name),
}));

const roles = [
  ...BUILT_IN_ROLES,
  {
    id: idOf("role", "Shift lead"),
    name: "Shift lead",
    is_custom_role: true,
    description: "An agent who may also move conversations between groups.",
  },
];

const STATUSES = [
  ["Available", "AVAILABLE"],
  ["Away", "UNAVAILABLE"],
  ["At lunch", "UNAVAILABLE"],
  ["Finishing up", "UNAVAILABLE"],
] as const;
const statuses = STATUSES.map(([name, availability_status]) => ({
  id: idOf("status", name),
  name,
  availability_status,
}));

const shiftLead = idOf("role", "Shift lead");
const person = (
  name: readonly [string, string],
  groups: readonly string[],
  role: string,
  status: string,
  joined: string,
  more: DemoPerson["more"] = {},
): DemoPerson => ({ first_name: name[0], last_name: name[1], groups, role, status, joined, more });

const people: readonly DemoPerson[] = [
  person(
    ["Olivia", "Reyes"],
    ["Sales", "Support", "Billing"],
    "ACCOUNT_ADMIN",
    "Available",
    "2025-01-06T09:00:00.000Z",
    {
      biography: "Founded Acme.",
    },
  ),
  person(["Noah", "Lindqvist"], ["Support"], "ADMIN", "Available", "2025-01-13T09:00:00.000Z"),
  person(["Maya", "Okafor"], ["Sales", "Support"], "SUPER_USER", "At lunch", "2025-02-03T09:00:00.000Z"),
  person(["Diego", "Santos"], ["Sales"], "AGENT", "Available", "2025-03-10T09:00:00.000Z", { locale: "es" }),
  person(["Hannah", "Weber"], ["Support", "Returns"], "AGENT", "Available", "2025-04-07T09:00:00.000Z", {
    timezone: "Europe/Berlin",
  }),
  person(["Kenji", "Mori"], ["Billing"], "AGENT", "Away", "2025-05-12T09:00:00.000Z", { license_type: "occasional" }),
  person(["Aisha", "Khan"], ["Sales", "Billing"], shiftLead, "Available", "2025-06-02T09:00:00.000Z"),
  person(["Tom", "Archer"], ["Support"], "AGENT", "Away", "2025-02-17T09:00:00.000Z", { is_deactivated: true }),
];

/** A small business whose account is part of a suite: conversation properties are valid here. */
export const ACME: DemoAccount = {
  id: 1001,
  name: "acme",
  primary_locale: "en",
  configuration: {
    organisation_id: 5001,
    organisation_domain: `acme-org.${LOCAL_DOMAIN}`,
    account_id: 1001,
    account_domain: `acme.${LOCAL_DOMAIN}`,
    app_id: idOf("app", "acme"),
    bundle_id: 9001,
    bundle_type: "SUITE_SUPPORT",
    plan_type: "Enterprise",
    datacenter: "US",
  },
  calls_per_hour: null,
  automatic_assignment: false,
  messenger: INITIAL_MESSENGER,
  lists: {
    channels: acmeChannels(idOf),
    groups,
    roles,
    statuses,
    fields: acmeFields(idOf),
    templates: ACME_TEMPLATES,
    business_hours: acmeHours(idOf),
  },
  agents: demoAgents(idOf, { groups, roles, statuses }, { domain: "acme.example", people }),
  replies: acmeReplies(idOf, "Olivia Reyes"),
};
