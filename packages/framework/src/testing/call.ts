/** The service, or the app's host, said no. */
export class CallRefused extends Error {
  override readonly name = "CallRefused";
  /** Of HTTP. */
  readonly code: number;
  /** The problem's token; "" where the answer has none. */
  readonly status: string;
  constructor(code: number, status: string, message: string) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

export interface Request {
  readonly method: string;
  readonly url: string;
  readonly token: string;
  readonly body?: unknown;
}

const PATIENCE = 60_000;

const json = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const textAt = (said: unknown, key: string): string => {
  const value: unknown = typeof said === "object" && said !== null ? Reflect.get(said, key) : undefined;
  return typeof value === "string" ? value : "";
};

/** One request with a bearer token. -> the answer's JSON; undefined for none @errors CallRefused */
export async function call<T>({ method, url, token, body }: Request): Promise<T> {
  const reply = await fetch(url, {
    method,
    headers: {
      accept: "application/json",
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(PATIENCE),
  });
  const said = json(await reply.text());
  if (reply.ok) return said as T;
  const { pathname } = new URL(url);
  const [status, message] = [textAt(said, "status"), textAt(said, "message")];
  throw new CallRefused(
    reply.status,
    status,
    `${method} ${pathname}: ${reply.status} ${[status, message].filter(Boolean).join(": ")}`,
  );
}
