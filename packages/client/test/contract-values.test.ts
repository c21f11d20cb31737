import { gzipSync } from "node:zlib";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { api, consoleApi, identity, rowsOf, type Endpoint } from "@parley/contract";
import { build } from "esbuild";

const DIST = new URL("../dist/", import.meta.url);
const built = (await import(new URL("session.js", DIST).href)) as {
  readonly SESSION_ROUTES: Readonly<Record<string, Readonly<Record<string, { readonly route: string }>>>>;
};

const isAdmitted = ({ access }: Endpoint) => access.session !== undefined || access.isPublic === true;
const isPaged = ({ query }: Endpoint) => "page" in (query && "properties" in query ? (query.properties as object) : {});
const EXPECTED = [
  ...rowsOf(api).map((each) => ({ ...each, base: "/v2" })),
  ...[identity, consoleApi].flatMap((table) => rowsOf(table).map((each) => ({ ...each, base: "" }))),
].filter(({ row }) => isAdmitted(row));

test("the routes in the built session client are the contract's rows that admit a session or need no credential", () => {
  const routes = Object.entries(built.SESSION_ROUTES).flatMap(([resource, rows]) =>
    Object.entries(rows).map(([operation, row]) => ({ resource, operation, ...row })),
  );
  expect(EXPECTED.length).toBeGreaterThan(50);
  expect(routes).toEqual(
    EXPECTED.map(({ resource, operation, row, base }) => ({
      resource,
      operation,
      route: row.route.replace(" /", ` ${base}/`),
      ...(row.acceptsIdempotencyKey && { acceptsIdempotencyKey: true }),
      ...(isPaged(row) && { isList: true }),
      ...(row.upload && { uploadPart: row.upload.part }),
      ...(row.reply.type && { replyType: row.reply.type }),
    })),
  );
});

test("the built API client contains no schemas", () => {
  const text = readFileSync(new URL("index.js", DIST), "utf8");
  expect(text).toContain('"POST /users"');
  expect(text).not.toMatch(/@parley\/contract|contract\/dist|typebox/);
});

/** Size of the compressed session client in a page. @units bytes */
const bundleBytesMax = 8_000;

test("a page that imports the session client loads less than 8 kB, without axios, schemas and modules of Node", async () => {
  const { outputFiles, metafile } = await build({
    stdin: {
      contents: `import { sessionClient } from "@parley/client/session"; globalThis.client = sessionClient;`,
      resolveDir: fileURLToPath(DIST),
    },
    ...{ bundle: true, minify: true, write: false, metafile: true },
    ...{ format: "esm", platform: "browser", target: "es2022" },
  });
  const [bundle] = outputFiles;
  expect(Object.keys(metafile.inputs).filter((path) => !/^<stdin>$|client\/dist\/session\.js$/.test(path))).toEqual([]);
  expect(bundle?.text).not.toMatch(/axios|typebox|node:/);
  expect(gzipSync(bundle?.contents ?? "").length).toBeLessThan(bundleBytesMax);
});
