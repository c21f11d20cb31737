import { RequestError } from "../api/request-error.ts";
import type { PanelState } from "../panel-model.ts";
import type { PageStorage } from "../session/page-storage.ts";

/** Whether the browser may store something of the visitor, and whether something of the visitor may be sent. */
export interface Consent {
  readonly isGiven: () => boolean;
  /** The visitor consents. This is stored, so that the next page does not ask again. */
  readonly give: () => void;
  readonly forget: () => void;
  /** Whether the browser stores anything for the account at the site. */
  readonly hasStored: () => boolean;
}

/** The answer to calls of the site that need a session. */
export const CONSENT_REQUIRED = "CONSENT_REQUIRED";
export const consentMissing = (): RequestError =>
  new RequestError(
    403,
    CONSENT_REQUIRED,
    "The visitor has not consented to the messenger. Call setConsent(true) once the visitor has consented on your page.",
  );

interface ConsentDeps {
  readonly storage: PageStorage;
  /** Key of everything that is kept for the account at the site. */
  readonly storageKey: string;
  readonly state: () => PanelState;
  /** Another tab has changed it. */
  readonly onChange: () => void;
}

/** The consent of the site's page precedes that of the visitor in the panel. */
export const createConsent = ({ storage, storageKey, state, onChange }: ConsentDeps): Consent => {
  const item = `${storageKey} consent`;
  addEventListener("storage", ({ key }) => {
    if (key === null || key === item) onChange();
  });
  return {
    isGiven() {
      const { configuration, options } = state();
      const isRequired =
        options.hasConsent === false ||
        configuration?.privacy.is_consent_required === true ||
        options.config?.["consent"] === "required";
      return !isRequired || options.hasConsent === true || storage.get(item) !== undefined;
    },
    give: () => void storage.set(item, "1"),
    forget: () => storage.remove(item),
    hasStored: () => storage.keys(storageKey).length > 0,
  };
};
