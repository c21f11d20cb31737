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

/** The members of the site's `config` object that the display follows. */
export interface SiteConfig {
  readonly appName: string | undefined;
  readonly appLogo: string | undefined;
  readonly backgroundColor: string | undefined;
  readonly foregroundColor: string | undefined;
  readonly backgroundImage: string | undefined;
  readonly fontName: string | undefined;
  readonly isAgentNameHidden: boolean;
  readonly isAgentPictureHidden: boolean;
}

/** Reads the site's `config` object, which is unchecked: members of another type are ignored. */
export const siteConfigOf = (config: unknown): SiteConfig => {
  const header = (name: string) => textAt(config, "headerProperty", name);
  return {
    appName: header("appName"),
    appLogo: header("appLogo"),
    backgroundColor: header("backgroundColor"),
    foregroundColor: header("foregroundColor"),
    backgroundImage: header("backgroundImage"),
    fontName: header("fontName"),
    isAgentNameHidden: valueAt(config, ["agent", "hideName"]) === true,
    isAgentPictureHidden: valueAt(config, ["agent", "hidePic"]) === true,
  };
};
