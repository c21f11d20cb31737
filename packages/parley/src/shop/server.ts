import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { failAtPort, LOOPBACK } from "../environment/ports.ts";
import { shopContentPolicy, shopPage, SHOP_PATHS, shopScript, type ShopMessenger } from "./page.ts";
import { SHOP_STYLE } from "./style.ts";

interface ShopOptions extends ShopMessenger {
  /** 0: any free port. */
  readonly port: number;
  /** Whether the port was set explicitly; otherwise another port is used when it is in use. */
  readonly isPortExplicit: boolean;
}

/** The demo shop: the page of a site that embeds the messenger, on an origin of its own. */
export interface Shop {
  /** Address of the page. */
  readonly url: string;
  close(): Promise<void>;
}

const HTML = "text/html; charset=utf-8";
const CSS = "text/css; charset=utf-8";
const JAVASCRIPT = "text/javascript; charset=utf-8";
const PLAIN = "text/plain; charset=utf-8";

/** Starts the demo shop. @errors CommandFailure for an explicit port that can't be opened */
export const startShop = async ({ port, isPortExplicit, ...messenger }: ShopOptions): Promise<Shop> => {
  const files = new Map<string, readonly [type: string, text: string]>([
    [SHOP_PATHS.page, [HTML, shopPage(messenger)]],
    [SHOP_PATHS.style, [CSS, SHOP_STYLE]],
    [SHOP_PATHS.script, [JAVASCRIPT, shopScript(messenger)]],
  ]);
  const headers = {
    "cache-control": "no-cache",
    "content-security-policy": shopContentPolicy(messenger),
    "referrer-policy": "strict-origin-when-cross-origin",
    "x-content-type-options": "nosniff",
  };
  const answer = ({ method, url = "" }: IncomingMessage, response: ServerResponse) => {
    const [path = ""] = url.split("?", 1);
    const [type, text] = files.get(path) ?? [PLAIN, "The demo shop has one page, at /.\n"];
    const isReading = method === "GET" || method === "HEAD";
    const status = isReading ? (files.has(path) ? 200 : 404) : 405;
    response.writeHead(status, { ...headers, "content-type": type, ...(!isReading && { allow: "GET, HEAD" }) });
    response.end(method === "GET" ? text : undefined);
  };
  const server = createServer(answer);
  const listen = (at: number) =>
    new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(at, LOOPBACK, () => {
        server.off("error", reject);
        resolve();
      });
    });
  await listen(port).catch((error: unknown) =>
    isPortExplicit ? failAtPort(error, "PARLEY_SHOP_PORT", port) : listen(0),
  );
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
