import type { Field } from "@parley/contract";
import type { IdOf } from "./account.ts";

/** The default property, as every suite account has it. @spec Resources and their fields > Conversation property field object */
const priority = (idOf: IdOf): Field => {
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

/** One field of each type; the last one is written by the system only. */
export const acmeFields = (idOf: IdOf): Field[] => [
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
