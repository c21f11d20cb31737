import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MESSENGER_API, type VisitorSession } from "@parley/contract";
import { consoleHarness, type ConsoleHarness } from "../console/console-harness.ts";
import type { ServiceHarnessOptions } from "../service-harness.ts";

interface MessengerRequest {
  /** The token of a visitor's session. */
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface MessengerResponse<T> {
  readonly code: number;
  readonly body: T & { readonly status?: string; readonly message?: string };
  readonly headers: Headers;
}

/** The service with the demo account acme, and requests of visitors. */
export interface MessengerHarness extends ConsoleHarness {
  /** Sends a request below `/messenger/api`. */
  request<T = Record<string, unknown>>(
    method: string,
    path: string,
    request?: MessengerRequest,
  ): Promise<MessengerResponse<T>>;
  /** Begins the session of a new visitor of acme. */
  visitor(input?: { readonly external_id?: string; readonly profile?: object }): Promise<VisitorSession>;
}

/** Content of the files that the harness serves as the built messenger. */
export const SCRIPT = `window.widget = "${"x".repeat(2_000)}";`;
export const PAGE = "<!doctype html><html><head><title>Messages</title></head><body></body></html>";

export async function messengerHarness(options: ServiceHarnessOptions = {}): Promise<MessengerHarness> {
  const folder = await mkdtemp(join(tmpdir(), "parley-messenger-"));
  await mkdir(join(folder, "assets"));
  await writeFile(join(folder, "index.html"), PAGE);
  await writeFile(join(folder, "assets", "panel-1a2b.js"), "export {};");
  await writeFile(join(folder, "widget.js"), SCRIPT);
  const s = await consoleHarness({
    messengerFiles: { panelFolder: folder, scriptFile: join(folder, "widget.js") },
    ...options,
  });
  const request = async <T>(method: string, path: string, { token, body, headers }: MessengerRequest = {}) => {
    const response = await fetch(`${s.url}${MESSENGER_API}${path}`, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      code: response.status,
      body: (text === "" ? {} : JSON.parse(text)) as MessengerResponse<T>["body"],
      headers: response.headers,
    };
  };
  return {
    ...s,
    request,
    async visitor(input = {}) {
      const { code, body } = await request<VisitorSession>("POST", "/sessions", {
        body: { account: "acme", ...input },
      });
      if (code !== 201) throw new Error(`No session was begun: ${code} ${JSON.stringify(body)}`);
      return body;
    },
    async close() {
      await s.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
