/** How pages show what people wrote, the colours in which they do, and time zones. Without schemas, so that pages can load it: the entry `@parley/contract/display`. */
export * from "../messenger/languages.ts";
export * from "./colors.ts";
export * from "./contrast.ts";
export * from "./links.ts";
export * from "./locales.ts";
export * from "./shown-look.ts";
export * from "./time-zone.ts";
export * from "./visible-text.ts";
