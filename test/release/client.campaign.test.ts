import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { CLIENT_README_OUTPUT, clientReadmeModule } from "../../packages/client/test/readme-examples.ts";
import { launchBrowser } from "../../packages/framework/test/support/browser.ts";
import { serviceHarness, type ServiceHarness } from "../../packages/service/test/service-harness.ts";
import { sampleRows } from "../support/campaign.ts";
import { COMPILATIONS, COMPILER_PACKAGES, compile } from "./compile.ts";
import { installedFolder, type UserFolder } from "./installed-release.ts";

/** `@parley/client` alone, as integrators install it, against a running service. */

let user: UserFolder;
let service: ServiceHarness;
let site: Server;
let origin: string;
const TYPES = { ".html": "text/html", ".js": "text/javascript" } as Readonly<Record<string, string>>;

beforeAll(async () => {
  // A site of the integrator, whose pages are of another origin than the service.
  site = createServer(({ url = "/" }, response) => {
    const { pathname } = new URL(url, origin);
    try {
      const content = readFileSync(join(user.folder, pathname));
      response.writeHead(200, { "content-type": TYPES[extname(pathname)] ?? "text/plain" }).end(content);
    } catch {
      response.writeHead(404).end();
    }
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => site.once("listening", resolve));
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  service = await serviceHarness({ config: { corsOrigins: [origin] } });
  user = await installedFolder(["@parley/client"], ["esbuild", "vite", "@types/node@20", ...COMPILER_PACKAGES]);
}, 300_000);
afterAll(async () => {
  site.close();
  await service.close();
  await user.remove();
});

const environment = () => ({ PARLEY_URL: service.url, PARLEY_TOKEN: service.token });

/** The calls of a first integration, as the body of an async function that has `parleyClient` and `isProblemError`. -> prints results */
const CALLS = `
  const user = await client.users.createUser({ body: { first_name: "Ann", email: "ann@customer.example" } });
  const { channels } = await client.channels.listChannels({ query: { items_per_page: 1 } });
  const message = { actor_type: "user", actor_id: user.id, message_parts: [{ text: { content: "Hello" } }] };
  const conversation = await client.conversations.createConversation({
    body: { channel_id: channels[0].id, users: [{ id: user.id }], messages: [message] },
  });
  const agents = [];
  for await (const agent of client.agents.listAgents.items({ query: { items_per_page: 1 } })) agents.push(agent.id);
  const problem = await client.agents.getAgent({ params: { agent_id: "nobody" } }).catch((error) => error);
  const content = new TextEncoder().encode("What was agreed.");
  const file = await client.files.uploadFile({ upload: { name: "a.txt", content_type: "text/plain", content } });
  const stop = setInterval(() => client.users.createUser({ body: { first_name: "Cy" } }), 300);
  let event;
  for await (event of client.stream.events({ query: { types: "user_create" } })) break;
  clearInterval(stop);
  const results = [
    conversation.status, agents.length > 1, new Set(agents).size === agents.length,
    problem instanceof ProblemError, isProblemError(problem, "AGENT_NOT_FOUND"), file.file_size, event.event,
  ];
`;
const RESULTS = ["new", true, true, true, true, 16, "user_create"];

const CLIENT = "const client = parleyClient({ url: process.env.PARLEY_URL, token: process.env.PARLEY_TOKEN });";
const NAMES = "{ isProblemError, parleyClient, ProblemError }";
const PRINT = "console.log(JSON.stringify(results));";
const IN_MODULE = `import ${NAMES} from "@parley/client";\n${CLIENT}${CALLS}${PRINT}\n`;
const IN_COMMONJS = `const ${NAMES} = require("@parley/client");\n${CLIENT}\n(async () => {${CALLS}${PRINT}})();\n`;

test.each([
  { title: "an ES module", file: "calls.mjs", script: IN_MODULE },
  { title: "CommonJS", file: "calls.cjs", script: IN_COMMONJS },
  { title: ".js of a package of CommonJS", file: "commonjs/calls.js", script: IN_COMMONJS, type: "commonjs" },
  { title: ".js of a package of ES modules", file: "module/calls.js", script: IN_MODULE, type: "module" },
  { title: ".cjs of a package of ES modules", file: "module/calls.cjs", script: IN_COMMONJS, type: "module" },
])("$title calls the service, reads lists and the event stream, and uploads", async ({ file, script, type }) => {
  if (type) user.write(`${type}/package.json`, JSON.stringify({ type }));
  user.write(file, script);
  const output = await user.succeed(["node", file], { env: environment() });
  expect(JSON.parse(output)).toEqual(RESULTS);
});

test("the examples of the README run as they are", async () => {
  user.write("examples.mjs", await clientReadmeModule());
  const output = await user.succeed(["node", "examples.mjs"], { env: environment() });
  expect(output.trim().split("\n")).toEqual(CLIENT_README_OUTPUT);
});

/** Right calls and wrong calls: an error that is expected and missing is itself an error. */
const TYPED_CALLS = `
import { isNoAnswerError, isProblemError, parleyClient, type ClientOptions, type ParleyClient, type StreamItem } from "@parley/client";

const options: ClientOptions = { url: "http://localhost:10002", token: "t", retries: { maxRetries: 1 } };
const client: ParleyClient = parleyClient(options);
export async function calls(signal: AbortSignal): Promise<void> {
  const user = await client.users.createUser({ body: { first_name: "Ann" }, idempotencyKey: "k", signal });
  const id: string = user.id;
  await client.users.listUsers();
  const list = await client.channels.listChannels({ query: { items_per_page: 1 } });
  const name: string | undefined = list.channels[0]?.name;
  for await (const agent of client.agents.listAgents.items({ query: { page: 1 } })) {
    const first: string | undefined = agent.first_name;
    // @ts-expect-error: a name is text
    const wrong: number | undefined = agent.first_name;
    console.log(first, wrong);
  }
  for await (const page of client.agents.listAgents.pages()) console.log(page.agents.length);
  for await (const item of client.stream.events({ query: { types: "user_create" }, signal })) {
    const received: StreamItem = item;
    if (received.event !== "reset") console.log(received.data.data.user?.id);
  }
  const content = new Blob(["text"]);
  await client.files.uploadFile({ upload: { name: "a.txt", content_type: "text/plain", content } });
  try {
    const none: void = await client.users.updateUser({ params: { user_id: id }, body: { first_name: "Bo" } });
    console.log(none, name);
  } catch (error) {
    if (isProblemError(error, "USER_NOT_FOUND")) {
      const status: "USER_NOT_FOUND" = error.problem.status;
      console.log(status);
    }
    if (isNoAnswerError(error)) console.log(error.code);
    // @ts-expect-error: no such token
    isProblemError(error, "NO_SUCH_TOKEN");
  }
  // @ts-expect-error: params are required
  await client.agents.getAgent();
  // @ts-expect-error: a parameter is missing
  await client.agents.getAgent({ params: {} });
  // @ts-expect-error: a member of the wrong type
  await client.users.createUser({ body: { first_name: 5 } });
  // @ts-expect-error: an unknown member
  await client.users.createUser({ body: { first_nam: "Ann" } });
  // @ts-expect-error: a value that the query does not have
  await client.users.listUsers({ query: { sort_order: "up" } });
  // @ts-expect-error: a key where nothing is created
  await client.agents.getAgent({ params: { agent_id: id }, idempotencyKey: "k" });
  // @ts-expect-error: not a list
  client.users.createUser.items();
  // @ts-expect-error: no such operation
  await client.users.removeUser();
  // @ts-expect-error: a token is required
  parleyClient({ url: "http://localhost:10002" });
}
`;

test.each(sampleRows(COMPILATIONS, 2))(
  "$title: right calls compile and wrong calls don't, for Node without the types of browsers",
  async (compilation) => {
    expect(await compile(user, { ...compilation, platform: "node", source: TYPED_CALLS })).toBe("");
  },
  120_000,
);

test.each(
  sampleRows(
    COMPILATIONS.filter(({ resolution }) => resolution.moduleResolution === "bundler"),
    1,
  ),
)(
  "$title: calls compile for browsers without the types of Node",
  async (compilation) => {
    expect(await compile(user, { ...compilation, platform: "browser", source: TYPED_CALLS })).toBe("");
  },
  120_000,
);

/** Built-in modules of Node in a bundle, by import or require. */
const BUILT_IN = /(?:from|import|require\()\s*["'`](?:node:[\w/]+|https?|stream|zlib|crypto|fs|net|tls|url|util)["'`]/g;
/** Size of the compressed client in a page. @units bytes */
const bundleBytesMax = 75_000;

const BUNDLERS = {
  esbuild: ["npx", "esbuild", "site/page.js", "--bundle", "--minify", "--format=esm", "--outfile=site/esbuild/page.js"],
  vite: ["npx", "vite", "build", "site", "--outDir", "vite", "--logLevel", "error"],
};

test.each(Object.entries(BUNDLERS))(
  "a page that %s bundles calls the service from another origin, with one file below the size limit and without modules of Node",
  async (bundler, command) => {
    user.write(
      "site/page.js",
      `import ${NAMES} from "@parley/client";
const settings = new URLSearchParams(location.search);
const client = parleyClient({ url: settings.get("url"), token: settings.get("token") });
(async () => {${CALLS}return results;})().then(
  (results) => (document.title = JSON.stringify(results)),
  (error) => (document.title = "failed: " + error.stack),
);`,
    );
    const page = (script: string) => `<!doctype html><title></title><script type="module" src="${script}"></script>`;
    user.write("site/index.html", page("./page.js"));
    user.write(
      "site/vite.config.js",
      `export default { base: "./", build: { rollupOptions: { output: { entryFileNames: "page.js" } } } };`,
    );
    user.makeFolder(`site/${bundler}`);
    await user.succeed(command);
    if (bundler === "esbuild") user.write("site/esbuild/index.html", page("./page.js"));
    const bundle = readFileSync(join(user.folder, "site", bundler, "page.js"));
    expect(bundle.toString().match(BUILT_IN)).toBeNull();
    const bytes = gzipSync(bundle).length;
    expect(bytes).toBeLessThan(bundleBytesMax);
    const browser = await launchBrowser();
    try {
      const tab = await browser.newPage();
      const query = new URLSearchParams({ url: service.url, token: service.token }).toString();
      await tab.goto(`${origin}/site/${bundler}/index.html?${query}`);
      await tab.waitForFunction("document.title !== ''", undefined, { timeout: 30_000 });
      expect(await tab.title()).toBe(JSON.stringify(RESULTS));
    } finally {
      await browser.close();
    }
  },
  120_000,
);
