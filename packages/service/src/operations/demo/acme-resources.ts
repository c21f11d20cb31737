import type { Field, Template, Channel } from "@parley/contract";
import type { DemoIdOf } from "./demo-account.ts";
import {
  type BusinessHoursSetting,
  templateId,
  type AccountTemplate,
  type ChannelTopic,
} from "../administration/document/sections/state.ts";

/** The default property of every account in a suite. @spec Resources and their fields > Conversation property field object */
const priority = (idOf: DemoIdOf): Field => {
  const choices = ["Low", "Medium", "High", "Urgent"].map((value) => ({
    id: idOf("choice", `priority ${value}`),
    value,
  }));
  return {
    id: idOf("field", "priority"),
    name: "priority",
    label: "Priority",
    type: "DROPDOWN",
    custom: false,
    editable: true,
    position: 1,
    required: true,
    choices,
    default_value: choices[0]?.id ?? "",
  };
};

const CUSTOM = [
  { name: "cf_order_number", label: "Order number", type: "TEXT" },
  {
    name: "cf_reason",
    label: "Reason for contact",
    type: "DROPDOWN",
    choices: ["Question", "Order", "Return", "Complaint"],
  },
  { name: "cf_callback", label: "Wants a call back", type: "CHECKBOX" },
  { name: "cf_notes", label: "Notes", type: "PARAGRAPH" },
  { name: "cf_items", label: "Number of items", type: "NUMBER" },
  { name: "cf_amount", label: "Amount", type: "DECIMAL" },
  { name: "cf_due_date", label: "Due date", type: "DATE" },
  {
    name: "cf_products",
    label: "Products",
    type: "MULTI_SELECT_DROPDOWN",
    choices: ["Lamps", "Tables", "Chairs", "Shelves"],
  },
  { name: "cf_source_campaign", label: "Campaign", type: "TEXT", editable: false },
] as const;

/** One field of each type. The last one is written by the system only. */
export const acmeFields = (idOf: DemoIdOf): Field[] => [
  priority(idOf),
  ...CUSTOM.map((field, index): Field => {
    const { name, label, type } = field;
    const values: readonly string[] = "choices" in field ? field.choices : [];
    return {
      id: idOf("field", name),
      name,
      label,
      type,
      custom: true,
      editable: !("editable" in field),
      position: index + 2,
      required: false,
      choices: values.map((value) => ({ id: idOf("choice", `${name} ${value}`), value })),
    };
  }),
];

const DAY = [{ from: "09:00", to: "17:30" }];
const EXTENDED_HOURS = [{ from: "07:00", to: "22:00" }];

/** Office hours for the account; longer hours and weekends for Support. */
export const acmeHours = (idOf: DemoIdOf): BusinessHoursSetting[] => [
  {
    id: "",
    timezone: "America/New_York",
    week: { monday: DAY, tuesday: DAY, wednesday: DAY, thursday: DAY, friday: DAY },
    holidays: ["2026-01-01", "2026-07-03", "2026-11-26", "2026-12-25"],
  },
  {
    id: idOf("group", "Support"),
    timezone: "America/New_York",
    week: {
      monday: EXTENDED_HOURS,
      tuesday: EXTENDED_HOURS,
      wednesday: EXTENDED_HOURS,
      thursday: EXTENDED_HOURS,
      friday: EXTENDED_HOURS,
      saturday: [{ from: "10:00", to: "16:00" }],
      sunday: [{ from: "10:00", to: "16:00" }],
    },
    holidays: ["2026-01-01", "2026-12-25"],
  },
];

const NAMESPACE = "acme_shop";

/** Templates with each kind of header, with and without placeholders, one in two languages, and one that awaits approval. */
const TEMPLATES: readonly Template[] = [
  {
    namespace: NAMESPACE,
    name: "order_shipped",
    language: "en",
    status: "approved",
    header: { type: "image" },
    body: { text: "Hi {{1}}, your order {{2}} is on its way." },
    buttons: [{ subType: "url", label: "Track it", url: "https://acme.example/orders/{{1}}" }],
  },
  {
    namespace: NAMESPACE,
    name: "order_shipped",
    language: "es",
    status: "approved",
    header: { type: "image" },
    body: { text: "Hola {{1}}, su pedido {{2}} está en camino." },
    buttons: [{ subType: "url", label: "Seguirlo", url: "https://acme.example/orders/{{1}}" }],
  },
  {
    namespace: NAMESPACE,
    name: "order_update",
    language: "en",
    status: "approved",
    body: { text: "Hi {{1}}, your order {{2}} is on its way." },
  },
  {
    namespace: NAMESPACE,
    name: "appointment_reminder",
    language: "en",
    status: "approved",
    header: { type: "text", text: "See you on {{1}}" },
    body: { text: "Hi {{1}}, we expect you at {{2}}. Reply to this message to change it." },
  },
  {
    namespace: NAMESPACE,
    name: "welcome",
    language: "en",
    status: "approved",
    body: { text: "Thank you for writing to Acme. We'll be with you shortly." },
  },
  {
    namespace: NAMESPACE,
    name: "spring_sale",
    language: "en",
    status: "pending",
    header: { type: "text", text: "Spring sale" },
    body: { text: "Hi {{1}}, everything for the garden costs {{2}} less this week." },
  },
];

export const ACME_TEMPLATES: readonly AccountTemplate[] = TEMPLATES.map((template) => ({
  ...template,
  id: templateId(template),
}));

interface DemoTopic {
  readonly id: string;
  readonly texts: Readonly<Record<string, readonly [name: string, welcome: string]>>;
  readonly settings?: Partial<Pick<Channel, "enabled" | "public" | "tags">>;
}

const TOPICS: readonly DemoTopic[] = [
  {
    id: "Inbox",
    texts: {
      en: ["Inbox", "Hello! How can we help?"],
      es: ["Bandeja de entrada", "¡Hola! ¿En qué podemos ayudarle?"],
    },
  },
  {
    id: "Sales",
    texts: {
      en: ["Sales", "Looking for something? Ask us about our range."],
      es: ["Ventas", "¿Busca algo? Pregúntenos por nuestro catálogo."],
    },
  },
  {
    id: "Support",
    texts: {
      en: ["Support", "Tell us what isn't working and we'll put it right."],
      es: ["Soporte", "Cuéntenos qué no funciona y lo arreglamos."],
    },
  },
  { id: "Billing", texts: { en: ["Billing", "Questions about an invoice? We have the answers."] } },
  { id: "Returns", texts: { en: ["Returns", "Send us your order number and we'll start the return."] } },
  {
    id: "Trade customers",
    texts: { en: ["Trade customers", "Welcome back. What does your next project need?"] },
    settings: { public: false, tags: ["trade", "wholesale"] },
  },
  {
    id: "Holiday orders",
    texts: { en: ["Holiday orders", "Thank you for ordering early!"] },
    settings: { enabled: false },
  },
];

/** Topics of a small business. Their times of change are a minute apart, which determines their order in lists. */
export const acmeChannels = (idOf: DemoIdOf): ChannelTopic[] =>
  TOPICS.map(({ id, texts, settings }, index) => ({
    id: idOf("channel", id),
    updated_time: new Date(Date.UTC(2026, 0, 5, 9, index)).toISOString(),
    icon: {},
    enabled: true,
    public: true,
    tags: [],
    ...settings,
    texts: Object.fromEntries(
      Object.entries(texts).map(([locale, [name, welcome]]) => [
        locale,
        {
          name,
          welcome_message: { message_parts: [{ text: { content: welcome } }], message_type: "normal" as const },
        },
      ]),
    ),
  }));
