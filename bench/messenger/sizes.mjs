/** What a browser loads of the messenger, as the service sends it. */
import { get } from "node:http";
import { brotliDecompressSync } from "node:zlib";

/** -> bytes of the body as it was sent, and its text @errors Error for a status other than 200 */
const load = (address) =>
  new Promise((resolve, reject) => {
    const options = { headers: { "accept-encoding": "br" } };
    get(address, options, async (response) => {
      const chunks = [];
      for await (const chunk of response) chunks.push(chunk);
      if (response.statusCode !== 200) return reject(new Error(`${address}: ${response.statusCode}`));
      const body = Buffer.concat(chunks);
      const isCompressed = response.headers["content-encoding"] === "br";
      return resolve({ bytes: body.length, text: (isCompressed ? brotliDecompressSync(body) : body).toString() });
    }).on("error", reject);
  });

/** Files that the page of the panel loads before it is usable: scripts, preloaded modules and style sheets. */
const REFERENCE = /<(?:script|link)[^>]+(?:src|href)="([^"]+\.(?:js|css))"/g;

/** @units bytes */
export const sizesOf = async (origin) => {
  const page = await load(`${origin}/messenger?account=acme`);
  const files = [...page.text.matchAll(REFERENCE)].map(([, path]) => path);
  const loaded = await Promise.all(files.map((path) => load(new URL(path, origin).href)));
  const script = await load(`${origin}/js/widget.js`);
  return { script: script.bytes, panel: [page, ...loaded].reduce((sum, { bytes }) => sum + bytes, 0) };
};
