import type {
  AppSettingsAnswer,
  AppSettingsChange,
  Consent,
  ConsentChange,
  InstallAnswer,
  InstallCheck,
  InstallCheckAnswer,
  InstallConnection,
  InstallKeyAnswer,
  InstallKeyRequest,
  InstallModel,
  InstallRequest,
  InstallRequestAnswer,
  InstallSave,
} from "@parley/contract";
import { pagePost } from "../../../pages/browser/page-post.ts";

/** Client of the installation page's API. @errors Error with one sentence for the user */
export interface InstallServer {
  save(form: InstallSave): Promise<InstallAnswer>;
  check(question: InstallCheck): Promise<InstallCheckAnswer>;
  /** Never rejects: a request that did not reach the app's host has the shape in which the app reads failures. */
  request(request: InstallRequest): Promise<InstallRequestAnswer>;
  connections(): Promise<readonly InstallConnection[]>;
  /** Gives or revokes a consent. -> the state of all consents */
  decide(change: ConsentChange): Promise<readonly Consent[]>;
  saveSettings(change: AppSettingsChange): Promise<AppSettingsAnswer>;
  uninstall(): Promise<unknown>;
  createKey(request: InstallKeyRequest): Promise<InstallKeyAnswer>;
  /** Revokes created keys. Never rejects. @shape receipts: by parameter */
  discardKeys(receipts: Readonly<Record<string, string>>): Promise<unknown>;
  /** Returns to the version before the last upgrade. */
  rollBack(): Promise<unknown>;
}

const unsent = (error: unknown): InstallRequestAnswer => ({
  failure: { status: 502, headers: {}, response: String(error), attempts: 0, errorSource: "APP" },
});

/** `reached`: called after each request with whether the host answered it. */
export const createInstallServer = (
  { token, basis }: Pick<InstallModel, "token" | "basis">,
  reached: (isReached: boolean) => void,
): InstallServer => {
  let seen = basis;
  const post = pagePost({
    base: "/custom_configs/",
    token,
    // A save that did not reach the host is reported by its own notice.
    reached: (path, isReached) => {
      if (isReached || path !== "save") reached(isReached);
    },
  });
  return {
    async save(form) {
      const answer = await post<InstallAnswer>("save", { ...form, basis: seen });
      seen = answer.basis ?? seen;
      return answer;
    },
    check: (question) => post("check", question),
    request: (request) => post<InstallRequestAnswer>("request", request).catch(unsent),
    connections: () => post("connections"),
    decide: (change) => post("consents", change),
    saveSettings: (change) => post("app-settings", change),
    uninstall: () => post("uninstall"),
    createKey: (request) => post("api-key", request),
    discardKeys: (receipts) => post("api-key/discard", { receipts }).catch(() => undefined),
    rollBack: () => post("rollback"),
  };
};
