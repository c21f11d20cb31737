import type { FrontPlace, Manifest, PlaceKind } from "@parley/contract";

/** Position of each placeholder on the page. @assumed an unlisted placeholder, such as one of another product, is shown in the sidebar */
const KINDS: ReadonlyMap<string, PlaceKind> = new Map([
  ["conversation_user_info", "sidebar"],
  ["conversation_message_editor", "editor"],
  ["conversation_background", "background"],
  ["full_page_app", "page"],
  ["messenger_home", "page"],
  ["left_nav_chat", "panel"],
  ["left_nav_cti", "panel"],
  ["cti_global_sidebar", "panel"],
]);

/** Background placeholders of any product, which show nothing. */
const kindOf = (name: string): PlaceKind =>
  KINDS.get(name) ?? (name.endsWith("_background") ? "background" : "sidebar");

const labelOf = (name: string): string => {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** The placeholders of a manifest that have a page, in its order. */
export const manifestPlaces = ({ modules }: Manifest): FrontPlace[] =>
  Object.entries(modules).flatMap(([module, { location = {} }]) =>
    Object.entries(location).flatMap(([name, { url, icon = "" }]) =>
      url ? [{ id: `${module}.${name}`, name, module, kind: kindOf(name), url, icon, label: labelOf(name) }] : [],
    ),
  );
