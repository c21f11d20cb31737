/** A function for each way in which an app can send a request. Each returns `{ status, text }`. */
export const SERVER = `
const https = require("https"), http = require("node:http");
const read = (response) => new Promise((yes, no) => {
  const parts = []; response.on("data", (part) => parts.push(part)).on("end", () => yes(Buffer.concat(parts))).on("error", no); });
const by = (client) => ({ url, method = "GET", headers = {}, body }) => new Promise((yes, no) => {
  const request = client.request(url, { method, headers }, async (response) =>
    yes({ status: response.statusCode, text: (await read(response)).toString(), type: response.headers["content-type"] }));
  request.on("error", no);
  if (body !== undefined) request.write(body);
  request.end();
});
const ways = {
  https: by(https),
  http: by(http),
  get: ({ url }) => new Promise((yes, no) => https.get(url, async (response) =>
    yes({ status: response.statusCode, text: (await read(response)).toString() })).on("error", no)),
  options: ({ url }) => new Promise((yes, no) => {
    const { hostname, pathname, port } = new URL(url);
    https.request({ hostname, path: pathname, port: port || 443 }, async (response) =>
      yes({ status: response.statusCode, text: (await read(response)).toString() })).on("error", no).end(); }),
  fetch: async ({ url, ...init }) => { const answer = await fetch(url, init); return { status: answer.status, text: await answer.text(), url: answer.url, redirected: answer.redirected }; },
};
const outcome = (args) => ways[args.way](args).then((value) => value, ({ message, code }) => ({ message, code }));
exports = {
  call: async (args) => renderData(null, await outcome(args)),
  bytes: async ({ url }) => renderData(null, Buffer.from(await (await fetch(url)).arrayBuffer()).toString("hex")),
  slow: async ({ url }) => {
    const request = https.get(url); request.setTimeout(50, () => request.destroy(new Error("too slow")));
    await new Promise((done) => request.on("error", (error) => { renderData(null, error.message); done(); })); },
  abort: async ({ url }) => fetch(url, { signal: AbortSignal.timeout(50) }).catch((error) => renderData(null, error.name)),
  sockets: () => {
    const tries = [() => require("net").connect(443, "api.example"), () => require("tls").connect(443, "api.example"), () => http.createServer().listen(0)];
    renderData(null, tries.map((attempt) => { try { attempt(); return "open"; } catch (error) { return error.message; } })); },
  names: async () => {
    const { lookup, promises, Resolver } = require("dns");
    const later = (ask) => new Promise((done) => ask((error) => done(error ? error.message : "answered")));
    const told = (asked) => asked.then(() => "answered", (error) => error.message);
    renderData(null, await Promise.all([
      later((done) => lookup("api.example", done)), later((done) => new Resolver().resolve4("api.example", done)),
      told(promises.lookup("api.example")), told(new promises.Resolver().resolve4("api.example")), told(new promises.Resolver().reverse("127.0.0.1")) ])); },
};`;
/** Declarations of the app's `common` module. */
export const COMMON = { functions: { call: {}, bytes: {}, slow: {}, abort: {}, sockets: {}, names: {} } };
