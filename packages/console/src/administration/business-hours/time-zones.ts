import type { ListedChoice } from "../../ui/choice-list.tsx";

/** The zone of this device. */
export const ownTimeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Present names of zones that some browsers list by a former name. They are found by both. */
const PRESENT_NAMES: Readonly<Record<string, string>> = {
  "Africa/Asmera": "Asmara",
  "America/Buenos_Aires": "Argentina",
  "America/Godthab": "Nuuk",
  "Asia/Calcutta": "Kolkata",
  "Asia/Katmandu": "Kathmandu",
  "Asia/Rangoon": "Yangon",
  "Asia/Saigon": "Ho Chi Minh",
  "Atlantic/Faeroe": "Faroe",
  "Europe/Kiev": "Kyiv",
};

/** Time zones to choose from. @shape present: the chosen zone, which can be an older name */
export const timeZoneChoices = (present: string): readonly ListedChoice[] =>
  [...new Set([...Intl.supportedValuesOf("timeZone"), "UTC", present])].toSorted().map((id) => {
    const name = PRESENT_NAMES[id];
    return { id, label: id.replaceAll("_", " "), ...(name !== undefined && { detail: name }) };
  });
