import type { ShownLook } from "@parley/contract";

/** -> the text at a path of members; undefined if the path doesn't lead to a text with a visible character */
export const textAt = (value: unknown, ...path: readonly string[]): string | undefined => {
  const found = valueAt(value, path);
  return typeof found === "string" && found.trim() !== "" ? found : undefined;
};

const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (object, name) =>
      typeof object === "object" && object !== null && Object.hasOwn(object, name)
        ? (object as Readonly<Record<string, unknown>>)[name]
        : undefined,
    value,
  );

/** What the display follows: members of the site's `config` object, else of the account's look. */
export interface SiteConfig {
  readonly appName: string | undefined;
  readonly appLogo: string | undefined;
  readonly backgroundColor: string | undefined;
  readonly foregroundColor: string | undefined;
  /** In place of the others in a browser that is set to dark colours. */
  readonly darkBackgroundColor: string | undefined;
  readonly darkForegroundColor: string | undefined;
  readonly backgroundImage: string | undefined;
  readonly fontName: string | undefined;
  /** Address of what a visitor can read before consenting. */
  readonly consentLink: string | undefined;
  readonly isAgentNameHidden: boolean;
  readonly isAgentPictureHidden: boolean;
  /** @assumed Off unless the site or the visitor asks for it: a page that makes sounds by itself is not expected. */
  readonly hasSound: boolean;
}

/** Reads the site's `config` object, which is unchecked: members of another type are ignored. A colour of the site replaces both of the account's. */
export const siteConfigOf = (config: unknown, look: ShownLook = {}): SiteConfig => {
  const header = (name: string) => textAt(config, "headerProperty", name);
  const [backgroundColor, foregroundColor] = [header("backgroundColor"), header("foregroundColor")];
  const { color, text_color, dark_color, dark_text_color } = backgroundColor === undefined ? look : {};
  return {
    appName: header("appName"),
    appLogo: header("appLogo") ?? look.picture_url,
    backgroundColor: backgroundColor ?? color,
    foregroundColor: foregroundColor ?? text_color,
    darkBackgroundColor: dark_color,
    darkForegroundColor: foregroundColor ?? dark_text_color,
    backgroundImage: header("backgroundImage"),
    fontName: header("fontName"),
    consentLink: textAt(config, "content", "consent", "link"),
    isAgentNameHidden: valueAt(config, ["agent", "hideName"]) === true,
    isAgentPictureHidden: valueAt(config, ["agent", "hidePic"]) === true,
    hasSound: valueAt(config, ["sound"]) === true,
  };
};
