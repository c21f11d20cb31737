import { EventEmitter } from "node:events";
import { Readable, Writable } from "node:stream";
import type { Question } from "@parley/contract";

export type DirectQuestion = Extract<Question, { of: "call" }>;

/** Connection to the host, which sends the request. `hold` keeps the app's current call open while a promise is pending. */
export interface HostConnection {
  readonly ask: (question: DirectQuestion) => Promise<unknown>;
  readonly hold: (pending: Promise<unknown>) => Promise<unknown>;
}

/** @shape headers: names in lower case */
interface HostReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** @errors TypeError for an invalid reply */
const readReply = (reply: unknown): HostReply => {
  const { status, headers, body } = (reply ?? {}) as Partial<Record<string, unknown>>;
  if (typeof status !== "number" || typeof headers !== "object" || headers === null || typeof body !== "string")
    throw new TypeError("The host gave no answer to the request");
  return { status, headers: headers as Record<string, string>, body: Buffer.from(body, "base64") };
};

/** Maximum lengths that the host accepts. @units characters */
const LENGTHS_MAX = { url: 8_000, method: 32 };

/** Asks the host to send a request. @errors the host's refusal; TypeError for an invalid reply */
export const sendThroughHost = async (question: DirectQuestion, { ask }: HostConnection): Promise<HostReply> => {
  if (question.url.length > LENGTHS_MAX.url) throw new Error("The address of a request is too long");
  if (question.method.length > LENGTHS_MAX.method) throw new Error("Invalid method");
  return readReply(await ask(question));
};

/** Maximum body that the host accepts. @units bytes */
const BODY_BYTES_MAX = 700_000;
const DEFAULT_PORTS: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };
/** Time for which an unread response keeps the call open. @units milliseconds */
const UNREAD_WAIT_MS = 500;

const CODES: Readonly<Record<number, string>> = { 502: "ECONNREFUSED", 504: "ETIMEDOUT" };

const coded = (thrown: unknown): Error => {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const status: unknown = Reflect.get(error, "status");
  return Object.assign(error, { code: (typeof status === "number" && CODES[status]) || "ERR_SANDBOX" });
};

/** Replaces the socket of a request, on which packages call methods. This process has no socket. */
class NoSocket extends EventEmitter {
  readonly authorized = true;
  readonly encrypted = true;
  readonly connecting = false;
  destroyed = false;
  setKeepAlive() {
    return this;
  }
  setNoDelay() {
    return this;
  }
  setTimeout() {
    return this;
  }
  ref() {
    return this;
  }
  unref() {
    return this;
  }
  getPeerCertificate() {
    return {};
  }
  destroy() {
    this.destroyed = true;
    return this;
  }
}

/** A response as the module `http` returns it. */
export class IncomingMessage extends Readable {
  readonly statusCode: number;
  readonly statusMessage: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly rawHeaders: readonly string[];
  readonly trailers = {};
  readonly rawTrailers = [];
  readonly httpVersion = "1.1";
  readonly httpVersionMajor = 1;
  readonly httpVersionMinor = 1;
  readonly aborted = false;
  complete = false;
  readonly req: ClientRequest;
  readonly socket: NoSocket;
  readonly connection: NoSocket;
  constructor(reply: HostReply, statusMessage: string, request: ClientRequest) {
    super();
    const { "set-cookie": cookie, ...headers } = reply.headers;
    this.statusCode = reply.status;
    this.statusMessage = statusMessage;
    this.headers = { ...headers, ...(cookie === undefined ? {} : { "set-cookie": [cookie] }) };
    this.rawHeaders = Object.entries(reply.headers).flat();
    this.req = request;
    this.socket = this.connection = request.socket;
    if (reply.body.length > 0) this.push(reply.body);
    this.push(null);
    this.once("end", () => (this.complete = true));
  }
  override _read() {}
  setTimeout() {
    return this;
  }
}

type Options = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

const ofUrl = ({ protocol, hostname, port, pathname, search, username, password }: URL): Options => ({
  protocol,
  hostname,
  port,
  path: pathname + search,
  ...(username === "" ? {} : { auth: `${decodeURIComponent(username)}:${decodeURIComponent(password)}` }),
});

/** Reads `(url, options, callback)`, `(options, callback)` and similar argument lists. @errors TypeError for a text that is not a URL */
const readArguments = (args: readonly unknown[]): { options: Options; callback: unknown } => {
  const [first, ...rest] = args;
  const base = typeof first === "string" ? ofUrl(new URL(first)) : first instanceof URL ? ofUrl(first) : {};
  const others = typeof first === "string" || first instanceof URL ? rest : args;
  const options = others.find((one) => isObject(one) && typeof one !== "function") ?? {};
  return { options: { ...base, ...(options as Options) }, callback: others.find((one) => typeof one === "function") };
};

/** Returns a text or a number of the app's options; other values count as absent. */
const optionText = (value: unknown, usual = ""): string =>
  typeof value === "string" && value !== "" ? value : typeof value === "number" ? String(value) : usual;

const hostOf = ({ hostname, host }: Options): string => {
  const name = optionText(hostname, optionText(host, "localhost"));
  return name.includes(":") && !name.startsWith("[") ? `[${name}]` : name;
};

const headerText = (value: unknown): string =>
  [value]
    .flat()
    .map((one) => optionText(one))
    .join(", ");

/** A request of `http` or `https`, which the host sends when it has ended. */
export class ClientRequest extends Writable {
  readonly method: string;
  readonly path: string;
  readonly host: string;
  readonly protocol: string;
  readonly reusedSocket = false;
  readonly socket = new NoSocket();
  readonly connection = this.socket;
  aborted = false;
  res: IncomingMessage | undefined;
  readonly #url: string;
  readonly #headers = new Map<string, readonly [name: string, value: unknown]>();
  readonly #chunks: Buffer[] = [];
  readonly #line: HostConnection;
  readonly #statusTexts: Readonly<Record<number, string | undefined>>;
  #size = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    line: HostConnection,
    statusTexts: Readonly<Record<number, string | undefined>>,
    defaultProtocol: string,
    parameters: readonly unknown[],
  ) {
    super({ autoDestroy: false, emitClose: false });
    const { options, callback } = readArguments(parameters);
    this.#line = line;
    this.#statusTexts = statusTexts;
    this.method = optionText(options["method"], "GET").toUpperCase();
    this.path = optionText(options["path"], "/");
    this.host = hostOf(options);
    this.protocol = optionText(options["protocol"], defaultProtocol);
    const port = optionText(options["port"], optionText(options["defaultPort"]));
    const isUsual = port === "" || port === DEFAULT_PORTS[this.protocol];
    this.#url = `${this.protocol}//${this.host}${isUsual ? "" : `:${port}`}${this.path}`;
    const { headers, auth, timeout, signal } = options;
    if (Array.isArray(headers)) for (const [name, value] of headers as [string, unknown][]) this.setHeader(name, value);
    else for (const [name, value] of Object.entries(headers ?? {})) this.setHeader(name, value);
    if (typeof auth === "string" && !this.hasHeader("authorization"))
      this.setHeader("Authorization", `Basic ${Buffer.from(auth).toString("base64")}`);
    if (typeof callback === "function") this.once("response", callback as () => void);
    if (typeof timeout === "number") this.setTimeout(timeout);
    if (signal instanceof AbortSignal)
      signal.addEventListener("abort", () => this.destroy(signal.reason as Error), { once: true });
    process.nextTick(() => this.emit("socket", this.socket));
  }

  setHeader(name: string, value: unknown) {
    if (value !== undefined) this.#headers.set(String(name).toLowerCase(), [String(name), value]);
    return this;
  }
  getHeader(name: string): unknown {
    return this.#headers.get(String(name).toLowerCase())?.[1];
  }
  hasHeader(name: string): boolean {
    return this.#headers.has(String(name).toLowerCase());
  }
  removeHeader(name: string) {
    this.#headers.delete(String(name).toLowerCase());
  }
  getHeaderNames(): string[] {
    return [...this.#headers.keys()];
  }
  getHeaders(): Record<string, unknown> {
    return Object.fromEntries([...this.#headers].map(([name, [, value]]) => [name, value]));
  }
  getRawHeaderNames(): string[] {
    return [...this.#headers.values()].map(([name]) => name);
  }
  flushHeaders() {}
  setNoDelay() {}
  setSocketKeepAlive() {}
  setTimeout(ms: number, listener?: () => void) {
    if (listener) this.once("timeout", listener);
    clearTimeout(this.#timer);
    if (ms > 0) this.#timer = setTimeout(() => this.emit("timeout"), ms);
    return this;
  }
  abort() {
    if (this.aborted) return;
    this.aborted = true;
    process.nextTick(() => this.emit("abort"));
    this.destroy();
  }

  override _write(chunk: unknown, encoding: BufferEncoding, done: (error?: Error) => void) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk, encoding) : Buffer.from(chunk as Uint8Array);
    this.#size += bytes.length;
    if (this.#size > BODY_BYTES_MAX) return void this.destroy(coded(new Error("Request is too large")));
    this.#chunks.push(bytes);
    return done();
  }

  override _final(done: () => void) {
    void this.#line.hold(this.#exchange());
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void) {
    clearTimeout(this.#timer);
    this.socket.destroy();
    if (this.res) this.res.destroy(error ?? undefined);
    const hungUp = this.res ? null : Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
    done(error ?? hungUp);
    process.nextTick(() => this.emit("close"));
  }

  async #exchange(): Promise<void> {
    try {
      const question: DirectQuestion = {
        of: "call",
        method: this.method,
        url: this.#url,
        headers: Object.fromEntries([...this.#headers].map(([name, [, value]]) => [name, headerText(value)])),
        ...(this.#chunks.length > 0 && { body: Buffer.concat(this.#chunks).toString("base64") }),
      };
      const reply = await sendThroughHost(question, this.#line);
      if (!this.destroyed) await this.#deliver(reply);
    } catch (error) {
      this.destroy(coded(error));
    }
  }

  /** Resolves when the response has been read, or when nothing reads it. */
  #deliver(reply: HostReply): Promise<void> {
    clearTimeout(this.#timer);
    const response = new IncomingMessage(reply, this.#statusTexts[reply.status] ?? "", this);
    this.res = response;
    const read = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, UNREAD_WAIT_MS);
      response.once("close", () => {
        clearTimeout(timer);
        resolve();
        this.emit("close");
      });
    });
    if (!this.emit("response", response)) response.resume();
    return read;
  }
}
