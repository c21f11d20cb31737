import type { Channel } from "@parley/contract";
import type { Topic } from "../setup/state.ts";
import type { IdOf } from "./account.ts";

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

/** Topics of a small business; each was last changed a minute after the one before, which is their order in a list. */
export const acmeChannels = (idOf: IdOf): Topic[] =>
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
