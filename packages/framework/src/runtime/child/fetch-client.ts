import { sendThroughHost, type DirectQuestion, type HostConnection } from "./client-request.ts";

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
/** Limit of browsers. */
const REDIRECTS_MAX = 20;
/** Statuses of responses without a body. */
const WITHOUT_BODY: readonly number[] = [204, 205, 304];
/** Headers that must not be sent to another host. */
const PRIVATE_HEADERS: readonly string[] = ["authorization", "cookie", "proxy-authorization"];

type Asked = Omit<DirectQuestion, "of">;

const isBodyHeader = (name: string): boolean => name.startsWith("content-");

/** Returns the request that a redirect leads to. */
const redirected = ({ method, url, headers, body }: Asked, status: number, to: URL): Asked => {
  const isGet = (status === 303 && method !== "HEAD") || ([301, 302].includes(status) && method === "POST");
  const stays = new URL(url).origin === to.origin;
  const kept = Object.entries(headers).filter(
    ([name]) => (stays || !PRIVATE_HEADERS.includes(name)) && !(isGet && isBodyHeader(name)),
  );
  return {
    method: isGet ? "GET" : method,
    url: to.href,
    headers: Object.fromEntries(kept),
    ...(isGet || body === undefined ? {} : { body }),
  };
};

const failed = (error: unknown): TypeError =>
  new TypeError(`fetch failed: ${error instanceof Error ? error.message : String(error)}`, { cause: error });

/** Sends a request and follows redirects; the host checks each address. @errors TypeError */
const follow = async (first: Asked, mode: RequestRedirect, line: HostConnection): Promise<Response> => {
  let asked = first;
  for (let redirects = 0; ; redirects += 1) {
    const reply = await sendThroughHost({ of: "call", ...asked }, line).catch((error: unknown) => {
      throw failed(error);
    });
    const { location } = reply.headers;
    const isRedirect = REDIRECTS.includes(reply.status) && location !== undefined;
    if (!isRedirect || mode === "manual") {
      const response = new Response(WITHOUT_BODY.includes(reply.status) ? null : new Uint8Array(reply.body), {
        status: reply.status,
        headers: { ...reply.headers },
      });
      return Object.defineProperties(response, { url: { value: asked.url }, redirected: { value: redirects > 0 } });
    }
    if (mode === "error" || redirects >= REDIRECTS_MAX) throw failed(new Error(`a redirect to ${location}`));
    asked = redirected(asked, reply.status, new URL(location, asked.url));
  }
};

const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    return void work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });

/** `fetch` through the host. */
export const fetchOver = (line: HostConnection) =>
  async function fetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    const request = new Request(input, init);
    const exchange = async () => {
      const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer());
      const asked: Asked = {
        method: request.method,
        url: request.url,
        headers: Object.fromEntries(request.headers),
        ...(body && { body: body.toString("base64") }),
      };
      return follow(asked, request.redirect, line);
    };
    return unlessAborted(exchange(), request.signal);
  };
