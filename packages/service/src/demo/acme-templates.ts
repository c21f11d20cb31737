import type { Template } from "@parley/contract";
import { templateId, type KnownTemplate } from "../setup/state.ts";

const NAMESPACE = "acme_shop";

/** One of each kind of header, with and without placeholders, one in two languages, and one that waits for its approval. */
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

export const ACME_TEMPLATES: readonly KnownTemplate[] = TEMPLATES.map((template) => ({
  ...template,
  id: templateId(template),
}));
