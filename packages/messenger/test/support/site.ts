import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A file of a site: its type and its text. */
export type SiteFile = readonly [type: string, text: string];

/** A web site on an origin of its own. */
export interface Site {
  readonly origin: string;
  close(): Promise<void>;
}

const NOT_FOUND: SiteFile = ["text/plain", "Not found"];

/** A page with the given elements in its body. */
export const htmlPage = (body: string, head = ""): SiteFile => [
  "text/html; charset=utf-8",
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A site</title><link rel="icon" href="data:,">${head}</head><body>${body}</body></html>`,
];

/**
 * Serves the files of a site by their paths.
 * @shape host: name of this machine in the origin; headers: of each response
 */
export const serveSite = async (
  files: Readonly<Record<string, SiteFile>>,
  { host = "localhost", headers = {} }: { readonly host?: string; readonly headers?: Record<string, string> } = {},
): Promise<Site> => {
  const server = createServer(({ url = "" }, response) => {
    const [path = ""] = url.split("?", 1);
    const [type, text] = files[path] ?? NOT_FOUND;
    response.writeHead(path in files ? 200 : 404, { ...headers, "content-type": type }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://${host}:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
