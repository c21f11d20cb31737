import { expect } from "@jest/globals";
import type { MessagePartKey } from "@parley/contract";

/** Where a member of the account document is edited, or why no page edits it. */
type Editing =
  /** Address of the page below /console/admin/. The round trip enters a value there. */
  | { readonly page: string }
  /** Only the operator of the installation changes it: the service refuses a session that does. */
  | { readonly only: "operator" }
  /** The service refuses it in the welcome message of a topic. */
  | { readonly only: "other messages" }
  /** The service makes it for a new entry, and it stays. */
  | { readonly only: "the service" }
  /** Only programs make it: the page shows it and keeps it. */
  | { readonly only: "programs" }
  /** It says how a document is applied, and is not a setting. */
  | { readonly only: "the document" };

const [operator, service, programs, directive, others] = (
  ["operator", "the service", "programs", "the document", "other messages"] as const
).map((only) => ({ only }));

const page = (name: string): Editing => ({ page: name });
const TOPICS = page("topics");
const GROUPS = page("groups");
const ROLES = page("roles");
const FIELDS = page("fields");
const TEMPLATES = page("outbound-templates");
const HOURS = page("business-hours");
const MESSENGER = page("messenger");
const PARTS = "channels[].welcome_message.message_parts[]";
const WEEK = "business_hours[].week";

/** @shape names: of members, separated by spaces */
const inSection = (path: string, editing: Editing, names: string): Readonly<Record<string, Editing>> =>
  Object.fromEntries(names.split(" ").map((name) => [`${path}.${name}`, editing]));

/** A member as a path: `[]` is an entry of a list, `*` any name. A member that no page edits stands for those within it. */
export const EDITED_MEMBERS: Readonly<Record<string, Editing | undefined>> = {
  $schema: directive,
  name: operator,
  plan_type: operator,
  datacenter: operator,
  bundle: operator,
  organisation: operator,
  calls_per_hour: operator,
  primary_locale: page("account"),
  automatic_assignment: GROUPS,
  "messenger.aliases[]": MESSENGER,
  "messenger.origins[]": MESSENGER,
  ...inSection("messenger.look", MESSENGER, "color dark_color text_color picture_url position bottom_px side_px"),
  ...inSection("messenger.look", MESSENGER, "button_size panel_size is_label_shown"),
  ...inSection("messenger.look.texts.*", MESSENGER, "title help message_field away button_label"),
  ...inSection("messenger.privacy", MESSENGER, "is_page_shown is_consent_required"),
  prune: directive,
  remove: directive,
  "channels[].id": service,
  "channels[].name": TOPICS,
  "channels[].icon.url": TOPICS,
  "channels[].enabled": TOPICS,
  "channels[].public": TOPICS,
  "channels[].tags[]": TOPICS,
  "channels[].locales.*.name": TOPICS,
  "channels[].welcome_message.message_type": programs,
  [`${PARTS}.text.content`]: TOPICS,
  [`${PARTS}.image.url`]: TOPICS,
  [`${PARTS}.video.url`]: TOPICS,
  [`${PARTS}.video.content_type`]: TOPICS,
  [`${PARTS}.file.name`]: TOPICS,
  [`${PARTS}.file.url`]: TOPICS,
  [`${PARTS}.file.file_size_in_bytes`]: TOPICS,
  [`${PARTS}.file.content_type`]: TOPICS,
  [`${PARTS}.file.file_hash`]: others,
  [`${PARTS}.url_button.url`]: TOPICS,
  [`${PARTS}.url_button.label`]: TOPICS,
  [`${PARTS}.url_button.target`]: programs,
  [`${PARTS}.collection`]: programs,
  [`${PARTS}.quick_reply_button`]: others,
  [`${PARTS}.template_content`]: others,
  [`${PARTS}.callback`]: others,
  [`${PARTS}.help_text`]: others,
  [`${PARTS}.attachment_input`]: others,
  [`${PARTS}.reference`]: others,
  [`${PARTS}.text_input`]: others,
  "groups[].id": service,
  "groups[].org_id": GROUPS,
  "groups[].name": GROUPS,
  "groups[].description": GROUPS,
  "groups[].routing_type": GROUPS,
  "groups[].routing_logic": GROUPS,
  "groups[].signed_in_agents_only": GROUPS,
  "roles[].id": service,
  "roles[].name": ROLES,
  "roles[].description": ROLES,
  "statuses[].id": service,
  "statuses[].name": ROLES,
  "statuses[].availability_status": ROLES,
  "fields[].id": service,
  "fields[].name": FIELDS,
  "fields[].label": FIELDS,
  "fields[].type": FIELDS,
  "fields[].editable": FIELDS,
  "fields[].required": FIELDS,
  "fields[].position": FIELDS,
  "fields[].choices[].id": service,
  "fields[].choices[].value": FIELDS,
  "templates[].namespace": TEMPLATES,
  "templates[].name": TEMPLATES,
  "templates[].language": TEMPLATES,
  "templates[].status": TEMPLATES,
  "templates[].header.type": TEMPLATES,
  "templates[].header.text": TEMPLATES,
  "templates[].body.text": TEMPLATES,
  "templates[].buttons[].subType": TEMPLATES,
  "templates[].buttons[].label": TEMPLATES,
  "templates[].buttons[].url": TEMPLATES,
  "business_hours[].group": HOURS,
  "business_hours[].timezone": HOURS,
  "business_hours[].holidays[]": HOURS,
  ...Object.fromEntries(
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"].flatMap((day) =>
      ["from", "to"].map((member) => [`${WEEK}.${day}[].${member}`, HOURS]),
    ),
  ),
};

/** A part of each kind that a welcome message can't have. */
export const REFUSED_PARTS: Readonly<Partial<Record<MessagePartKey, object>>> = {
  file: { file_hash: "9f0b0f9e-6f0a-4f4e-9d2f-0d4a4d1f7a11" },
  quick_reply_button: { label: "Yes" },
  template_content: {
    type: "quick_reply_dropdown",
    sections: [{ name: "options", parts: [{ quick_reply_button: { label: "Yes" } }] }],
  },
  callback: { payload: "a", label: "A" },
  help_text: { content: "Choose one" },
  attachment_input: { a: "b" },
  reference: { a: "b" },
  text_input: { a: "b" },
};

/** Other values for the members that only the operator changes. */
export const OPERATOR_CHANGES: Readonly<Record<string, unknown>> = {
  name: "another",
  plan_type: "Free",
  datacenter: "IND",
  bundle: { id: 4_711, type: "SUITE_SALES" },
  organisation: { domain: "another.example" },
  calls_per_hour: 7,
};

const uploaded: unknown = expect.stringMatching(/^http.*\/objects\/uploads\//);
const span = (from: string, to: string) => [{ from, to }];

/** What the round trip enters on the pages: in each list entries that have all members together. */
export const ENTERED = {
  primary_locale: "es-MX",
  automatic_assignment: true,
  messenger: {
    aliases: ["2f1c6a1e-0b7d-4a55-9a0e-5d4f3b2c1a00", "4711/42"],
    look: {
      color: "#ffd400",
      dark_color: "#14532d",
      text_color: "#ffffff",
      picture_url: uploaded,
      position: "left",
      bottom_px: 0,
      side_px: 48,
      button_size: "large",
      panel_size: "compact",
      is_label_shown: true,
      texts: {
        en: {
          title: "Ask the workshop",
          help: "We repair lamps.",
          message_field: "What is broken?",
          away: "The workshop is closed.",
          button_label: "Ask us",
        },
        "es-MX": { title: "Pregunte al taller" },
      },
    },
    origins: ["https://workshop.example", "https://*.workshop.example:8443", "http://localhost:3000"],
    privacy: { is_page_shown: true, is_consent_required: true },
  },
  channels: [
    {
      name: "Workshop",
      icon: { url: uploaded },
      enabled: true,
      public: false,
      tags: ["indoors, heated", "repairs"],
      welcome_message: {
        message_type: "normal",
        message_parts: [
          { text: { content: "Welcome to the workshop." } },
          { image: { url: uploaded } },
          { url_button: { label: "Book a time", url: "https://acme.example/book" } },
          { file: { name: "guide.txt", url: uploaded, file_size_in_bytes: 5, content_type: "text/plain" } },
          { video: { url: uploaded, content_type: "video/mp4" } },
          { file: { name: "Prices", url: "https://acme.example/prices.pdf" } },
          { text: { content: "What is broken?" } },
        ],
      },
      locales: {
        "es-MX": {
          name: "Taller",
          welcome_message: { message_type: "normal", message_parts: [{ text: { content: "¿Qué se rompió?" } }] },
        },
      },
    },
  ],
  groups: [
    {
      name: "Mechanics",
      description: "Repairs of all kinds",
      routing_type: "INTELLIASSIGN",
      routing_logic: "ROUND_ROBIN",
      signed_in_agents_only: false,
      org_id: "org-mechanics",
    },
  ],
  roles: [{ name: "Foreman", description: "Assigns repairs." }],
  statuses: [{ name: "In the workshop", availability_status: "UNAVAILABLE" }],
  fields: [
    {
      name: "cf_damage_kind",
      label: "Damage",
      type: "MULTI_SELECT_DROPDOWN",
      required: true,
      editable: false,
      position: 1,
      choices: [{ value: "Cable" }, { value: "Lamp" }],
    },
  ],
  templates: [
    {
      namespace: "acme_workshop",
      name: "ready",
      language: "es_MX",
      status: "approved",
      header: { type: "text", text: "Repair {{1}}" },
      body: { text: "Hi {{1}}, your {{2}} is ready." },
      buttons: [{ subType: "url", label: "Pick it up", url: "https://acme.example/{{1}}" }],
    },
    {
      namespace: "acme_workshop",
      name: "photo",
      language: "en",
      status: "pending",
      header: { type: "image" },
      body: { text: "This is your lamp." },
    },
  ],
  business_hours: [
    {
      group: "Mechanics",
      timezone: "Pacific/Auckland",
      week: {
        monday: span("08:00", "12:30"),
        tuesday: span("08:00", "12:30"),
        wednesday: span("08:00", "12:30"),
        thursday: span("08:00", "12:30"),
        friday: span("08:00", "12:30"),
        saturday: span("08:00", "12:30"),
        sunday: [...span("08:00", "12:30"), ...span("22:00", "24:00")],
      },
      holidays: ["2026-12-25", "2027-01-01"],
    },
  ],
} as const;

const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
/** What is chosen in the dialogs that upload: a picture of one pixel, a text, and bytes that a browser cannot play as a video. */
export const FILES = [
  { name: "lamp.png", mimeType: "image/png", buffer: PICTURE },
  { name: "guide.txt", mimeType: "text/plain", buffer: Buffer.from("Hello") },
  { name: "tour.mp4", mimeType: "video/mp4", buffer: Buffer.from("a video") },
];
