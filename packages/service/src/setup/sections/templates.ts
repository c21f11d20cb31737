import type { Template } from "@parley/contract";
import { deny, type SectionRules } from "../section.ts";
import { templateId, type KnownTemplate } from "../state.ts";

/** @errors INVALID_VALUE where the numbers of placeholders leave one out */
const checkPlaceholders = (text: string, place: string) => {
  const numbers = new Set([...text.matchAll(/\{\{\s*([^{}]*?)\s*\}\}/g)].map(([, hole = ""]) => hole));
  for (const hole of numbers)
    if (!/^[1-9]\d?$/.test(hole) || Number(hole) > numbers.size)
      deny(place, `must number its placeholders {{1}}, {{2}} and so on: {{${hole}}} does not fit`);
};

/** The document's template is the whole template: nothing of an older one stays in it. */
export const templateRules: SectionRules<Template, KnownTemplate> = {
  section: "templates",
  nameOf: ({ namespace, name, language }) => `${namespace}/${name} (${language})`,
  means: (item, { id }) => templateId(item) === id,
  merge: (_, item, { place }) => {
    for (const member of ["namespace", "name", "language"] as const)
      if (item[member].trim() === "") deny(`${place}.${member}`, "must not be empty");
    const { header, body, buttons = [] } = item;
    if (header?.type === "text" && header.text === undefined) deny(`${place}.header.text`, "is mandatory here");
    if (header && header.type !== "text" && header.text !== undefined)
      deny(`${place}.header.text`, `may not be given for ${header.type}: the picture or file comes with each message`);
    if (header?.text !== undefined) checkPlaceholders(header.text, `${place}.header.text`);
    checkPlaceholders(body.text, `${place}.body.text`);
    for (const [index, { url }] of buttons.entries()) checkPlaceholders(url, `${place}.buttons[${index}].url`);
    return { ...item, id: templateId(item) };
  },
};
