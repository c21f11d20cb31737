export type EngineName = "Chromium" | "Firefox" | "WebKitGTK";

export interface InstalledBrowser {
  readonly path: string;
  readonly version: string;
}

export interface InstalledWebKit extends InstalledBrowser {
  readonly driver: string;
  /** Path of Xvfb; absent if the machine has a display. */
  readonly xvfb?: string | undefined;
}

export interface InstalledEngine extends InstalledBrowser {
  readonly name: EngineName;
}

export interface MissingEngine {
  readonly name: EngineName;
  /** The command that installs it on Debian. */
  readonly missing: string;
}

export const hasNpmChromium: boolean;
export const installedChromium: () => InstalledBrowser | undefined;
export const installedHeadlessChromium: () => InstalledBrowser | undefined;
export const installedWebKit: () => InstalledWebKit | undefined;
export const describeBrowsers: () => readonly (InstalledEngine | MissingEngine)[];
