/** What a browser loads of the messenger, as the service sends it. */
import { get } from "node:http";

/** -> the body as it was sent and its text @errors Error for a status other than 200 */
const load = (address) =>
  new Promise((resolve, reject) => {
    const options = { headers: { "accept-encoding": "br" } };
    get(address, options, async (response) => {
      const chunks = [];
      for await (const chunk of response) chunks.push(chunk);
      if (response.statusCode !== 200) return reject(new Error(`${address}: ${response.statusCode}`));
      if (response.headers["content-encoding"] !== "br") reject(new Error(`${address} is not compressed`));
      resolve(Buffer.concat(chunks));
    }).on("error", reject);
  });

/** Files that the page of the panel loads before it is usable: scripts, preloaded modules and style sheets. */
const REFERENCE = /<(?:script|link)[^>]+(?:src|href)="([^"]+\.(?:js|css))"/g;

/** @units bytes */
export const sizesOf = async (origin) => {
  const { brotliDecompressSync } = await import("node:zlib");
  const page = await load(`${origin}/messenger`);
  const files = [...brotliDecompressSync(page).toString().matchAll(REFERENCE)].map(([, path]) => path);
  const loaded = await Promise.all(files.map((path) => load(new URL(path, `${origin}/messenger`))));
  const script = await load(`${origin}/js/widget.js`);
  return { script: script.length, panel: [page, ...loaded].reduce((sum, { length }) => sum + length, 0) };
};
