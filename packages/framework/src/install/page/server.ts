import type {
  AppSettingsAnswer,
  AppSettingsChange,
  Consent,
  ConsentChange,
  InstallAnswer,
  InstallCheck,
  InstallCheckAnswer,
  InstallConnection,
  InstallModel,
  InstallRequest,
  InstallRequestAnswer,
  InstallSave,
} from "@parley/contract";

/** The host's questions. @errors one sentence for the person */
export interface Server {
  save(form: InstallSave): Promise<InstallAnswer>;
  check(question: InstallCheck): Promise<InstallCheckAnswer>;
  /** Never fails: a request that did not reach the app's host has the shape in which the app reads failures. */
  request(request: InstallRequest): Promise<InstallRequestAnswer>;
  connections(): Promise<readonly InstallConnection[]>;
  /** Agrees to something, or takes that back. -> how all of it stands then */
  decide(change: ConsentChange): Promise<readonly Consent[]>;
  saveSettings(change: AppSettingsChange): Promise<AppSettingsAnswer>;
  uninstall(): Promise<unknown>;
}

const sentence = async (reply: Response): Promise<string> => {
  const said = (await reply.json().catch(() => ({}))) as { message?: unknown };
  return typeof said.message === "string" ? said.message : `The app host answered ${reply.status}.`;
};

const unsent = (error: unknown): InstallRequestAnswer => ({
  failure: { status: 502, headers: {}, response: String(error), attempts: 0, errorSource: "APP" },
});

/** `reached`: told of each request whether the host answered it. */
export const serverOf = (
  { token, basis }: Pick<InstallModel, "token" | "basis">,
  reached: (isReached: boolean) => void,
): Server => {
  let seen = basis;
  let current = token;

  const send = (path: string, body: unknown): Promise<Response | undefined> =>
    fetch(`/custom_configs/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-page-token": current },
      body: JSON.stringify(body),
    }).catch(() => undefined);

  /** The host that made this page may have been started again since. -> whether it has another token by now */
  const renew = async (): Promise<boolean> => {
    const before = current;
    const reply = await fetch("/custom_configs/token").catch(() => undefined);
    if (reply?.ok) ({ token: current } = (await reply.json()) as { token: string });
    return current !== before;
  };

  const post = async <A>(path: string, body: unknown = {}): Promise<A> => {
    let reply = await send(path, body);
    if (reply?.status === 403 && (await renew())) reply = await send(path, body);
    // Of a save that did not reach the host its own notice tells.
    if (reply || path !== "save") reached(reply !== undefined);
    if (!reply) throw new Error("The app host can't be reached. Is it still running?");
    if (!reply.ok) throw new Error(await sentence(reply));
    return (await reply.json()) as A;
  };
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
  };
};
