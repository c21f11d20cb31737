import type { Consent } from "@parley/contract";
import { readSecureKeys } from "../project/checks/handler-look.ts";
import type { Project } from "../project/project.ts";

/** What the installation page says of the app's own code, and lets an admin decide. */
export interface ConsentsView {
  /** Labels of the secure parameters, as a list in a sentence; "" when the app has none. */
  readonly secureLabels: string;
  /** Labels of those that the code seems to read. */
  readonly readLabels: string;
  /** Whether the code seems to need something that nobody has decided on. */
  readonly isOpen: boolean;
  /** @shape JSON: Consent[] */
  readonly consents: string;
}

const CLIENTS = /\brequire\(\s*["'`](?:node:)?https?["'`]\s*\)|(?<![\w$.])fetch\s*\(/;

const listed = (labels: readonly string[]): string => labels.join(", ");

/** @returns undefined for an app without code, and where the host takes no consents */
export const consentsView = (
  project: Project | undefined,
  consents: readonly Consent[] | undefined,
): ConsentsView | undefined => {
  if (!project || consents === undefined || project.serverCode === "") return undefined;
  const { iparams, serverCode } = project;
  const labelOf = (key: string) => iparams[key]?.display_name ?? key;
  const secure = Object.keys(iparams).filter((key) => iparams[key]?.secure === true);
  const readKeys = readSecureKeys(project);
  const calls = CLIENTS.test(serverCode) || consents.some(({ state }) => state === "asked");
  const isDecided = (isHost: boolean) =>
    consents.some(
      ({ subject, state }) => subject.includes(".") === isHost && (state === "given" || state === "revoked"),
    );
  return {
    secureLabels: listed(secure.map(labelOf)),
    readLabels: listed(readKeys.map(labelOf)),
    isOpen: (readKeys.length > 0 && !isDecided(false)) || (calls && !isDecided(true)),
    consents: JSON.stringify(consents),
  };
};
