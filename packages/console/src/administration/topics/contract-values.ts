import { AccountDocument } from "@parley/contract";
import { formSchema } from "../../forms/form-schema.ts";

const topic = AccountDocument.properties.channels.items;

/** Members of a topic that its form checks. Evaluated like `../../contract-values.ts`. */
export const TOPIC_SCHEMA = formSchema(topic, ["name", "enabled", "public", "tags"]);
export const ICON_SCHEMA = formSchema(topic.properties.icon, ["url"]);
