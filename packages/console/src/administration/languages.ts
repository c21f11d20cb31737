import { languageName } from "../i18n/format.ts";
import type { ListedChoice } from "../ui/choice-list.tsx";

/** Languages that are offered everywhere. Documents can contain others. */
const OFFERED =
  "ar bg bn ca cs da de el en es et fa fi fr he hi hr hu id is it ja ko lt lv ms nb nl pl pt pt-BR ro ru sk sl sr sv th tr uk ur vi zh zh-Hant".split(
    " ",
  );

/** Languages to choose from, by name. @shape present: locales that the account uses */
export const languageChoices = (present: readonly string[]): readonly ListedChoice[] =>
  [...new Set([...OFFERED, ...present])]
    .map((id) => ({ id, label: languageName(id), detail: id }))
    .toSorted((one, other) => one.label.localeCompare(other.label));
