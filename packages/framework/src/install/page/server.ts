import type {
  InstallAnswer,
  InstallCheck,
  InstallCheckAnswer,
  InstallRequest,
  InstallRequestAnswer,
  InstallSave,
} from "@parley/contract";

/** The host's three questions. @errors one sentence for the person */
export interface Server {
  save(form: InstallSave): Promise<InstallAnswer>;
  check(question: InstallCheck): Promise<InstallCheckAnswer>;
  request(request: InstallRequest): Promise<InstallRequestAnswer>;
}

const sentence = async (reply: Response): Promise<string> => {
  const said = (await reply.json().catch(() => ({}))) as { message?: unknown };
  return typeof said.message === "string" ? said.message : `The app host answered ${reply.status}.`;
};

export const serverOf = (token: string): Server => {
  const post = async <A>(path: string, body: unknown): Promise<A> => {
    const reply = await fetch(`/custom_configs/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-page-token": token },
      body: JSON.stringify(body),
    }).catch(() => undefined);
    if (!reply) throw new Error("The app host can't be reached. Is it still running?");
    if (!reply.ok) throw new Error(await sentence(reply));
    return (await reply.json()) as A;
  };
  return {
    save: (form) => post("save", form),
    check: (question) => post("check", question),
    request: (request) => post("request", request),
  };
};
