import type { AccountDocument } from "@parley/contract";

/** A document with a value for every member that several accounts can have. */
export const COMPLETE_DOCUMENT = {
  name: "lamps",
  plan_type: "Pro",
  datacenter: "EUC",
  bundle: { id: 77, type: "SUITE_SUPPORT" },
  organisation: { id: 4711, domain: "lamps-org.example" },
  primary_locale: "en",
  calls_per_hour: 3000,
  // No aliases: several accounts can't have the same.
  messenger: {
    origins: ["http://localhost:3000", "https://*.lamps.example"],
    look: {
      color: "#14532d",
      dark_color: "#bbf7d0",
      text_color: "#ffffff",
      picture_url: "https://lamps.example/logo.png",
      position: "left",
      bottom_px: 0,
      side_px: 200,
      button_size: "large",
      panel_size: "compact",
      is_label_shown: true,
      texts: {
        en: {
          title: "Ask us",
          help: "We know lamps.",
          message_field: "Your question",
          away: "Later",
          button_label: "Ask",
        },
        "de-AT": { title: "Servus" },
      },
    },
  },
  channels: [
    {
      name: "Inbox",
      icon: { url: "https://lamps.example/inbox.png" },
      tags: ["all"],
      welcome_message: { message_parts: [{ text: { content: "Hello!" } }], message_type: "normal" },
      locales: { de: { name: "Eingang", welcome_message: { message_parts: [{ text: { content: "Hallo!" } }] } } },
    },
    { name: "Wholesale", public: false, enabled: false, tags: ["trade", "large"] },
  ],
  groups: [
    { name: "Sales", description: "Orders", routing_type: "INTELLIASSIGN", routing_logic: "LOAD" },
    { name: "Repairs", routing_type: "OCR" },
  ],
  roles: [{ name: "Shift lead", description: "Leads a shift." }],
  statuses: [
    { name: "Here", availability_status: "AVAILABLE" },
    { name: "Gone", availability_status: "UNAVAILABLE" },
  ],
  fields: [
    { name: "cf_model", label: "Model", type: "DROPDOWN", choices: ["Arc", { value: "Globe" }], position: 2 },
    { name: "cf_serial", type: "TEXT", required: true, position: 3 },
    { name: "cf_parts", type: "MULTI_SELECT_DROPDOWN", choices: ["Shade", "Foot"], editable: false, position: 4 },
  ],
  templates: [
    {
      namespace: "lamps",
      name: "repaired",
      language: "en",
      status: "approved",
      header: { type: "text", text: "Order {{1}}" },
      body: { text: "Hi {{1}}, your {{2}} is ready." },
      buttons: [{ subType: "url", label: "See", url: "https://lamps.example/{{1}}" }],
    },
  ],
  business_hours: [
    {
      timezone: "Europe/Berlin",
      week: {
        monday: [
          { from: "09:00", to: "12:00" },
          { from: "13:00", to: "18:00" },
        ],
      },
    },
    {
      group: "Repairs",
      timezone: "Europe/Berlin",
      week: { saturday: [{ from: "10:00", to: "24:00" }] },
      holidays: ["2026-12-26"],
    },
  ],
} as const satisfies AccountDocument;

/** Returns a copy with other members. */
export const completeDocument = (members: object = {}): Record<string, unknown> => ({
  ...structuredClone(COMPLETE_DOCUMENT),
  ...members,
});
