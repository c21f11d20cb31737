/** How pages show what people wrote. Without schemas, so that pages can load it: the entry `@parley/contract/display`. */
export * from "../messenger/languages.ts";
export * from "./links.ts";
export * from "./visible-text.ts";
