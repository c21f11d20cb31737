/**
 * Redirects the original service's hosts, which clients have in their code, to a Parley on this machine: a proxy on loopback, and TLS
 * with a certificate created at run time.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createProxy, request as forward } from "node:http";
import { createServer as createTls } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { redirect } from "./redirect.mjs";

const NAMES = ["*.freshchat.com", "*.myfreshworks.com", "*.freshdesk.com"];

const openssl = (...args) => {
  const { status, stderr } = spawnSync("openssl", args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`openssl ${args[0]}: ${stderr}`);
};

/** Creates a certificate and its own certificate authority. Returns the files of both. */
const certificate = (folder) => {
  const at = (name) => join(folder, name);
  openssl(
    "req",
    "-x509",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-days",
    "2",
    "-subj",
    "/CN=clients",
    "-keyout",
    at("ca.key"),
    "-out",
    at("ca.pem"),
  );
  openssl(
    "req",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-subj",
    "/CN=hosts",
    "-keyout",
    at("host.key"),
    "-out",
    at("host.csr"),
  );
  writeFileSync(at("host.ext"), `subjectAltName=${NAMES.map((name) => `DNS:${name}`).join(",")}\n`);
  const signed = [
    "-CA",
    at("ca.pem"),
    "-CAkey",
    at("ca.key"),
    "-CAcreateserial",
    "-days",
    "2",
    "-extfile",
    at("host.ext"),
  ];
  openssl("x509", "-req", "-in", at("host.csr"), ...signed, "-out", at("host.pem"));
  return { ca: at("ca.pem"), key: readFileSync(at("host.key")), cert: readFileSync(at("host.pem")) };
};

const listening = (server) =>
  new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server.address().port)));

/**
 * Returns `env` for a client that supports a proxy, `nodeEnv` for a Node program that doesn't, `ca` (a file) and `close()`.
 * `redirectHere()` redirects the requests of this process and returns a function that undoes it.
 */
export const startOutside = async (origin) => {
  const folder = mkdtempSync(join(tmpdir(), "parley-clients-tls-"));
  const { ca, key, cert } = certificate(folder);
  const { hostname, port } = new URL(origin);
  const tls = createTls({ key, cert }, (request, response) => {
    const { method, url, headers } = request;
    const forwarded = forward(
      { hostname, port, method, path: url, headers: { ...headers, host: `${hostname}:${port}` } },
      (answer) => {
        response.writeHead(answer.statusCode, answer.headers);
        answer.pipe(response);
      },
    );
    forwarded.on("error", () => response.writeHead(502).end());
    request.pipe(forwarded);
  });
  const tlsPort = await listening(tls);
  const proxy = createProxy();
  proxy.on("connect", (_request, socket) => {
    const through = connect(tlsPort, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      through.pipe(socket);
      socket.pipe(through);
    });
    for (const one of [through, socket]) one.on("error", () => [through, socket].forEach((each) => each.destroy()));
  });
  const proxyPort = await listening(proxy);
  const address = `http://127.0.0.1:${proxyPort}`;
  const env = {
    HTTPS_PROXY: address,
    https_proxy: address,
    NO_PROXY: "127.0.0.1,localhost",
    NODE_EXTRA_CA_CERTS: ca,
    REQUESTS_CA_BUNDLE: ca,
    SSL_CERT_FILE: ca,
    CURL_CA_BUNDLE: ca,
  };
  const preloaded = new URL("redirect.mjs", import.meta.url).href;
  const nodeEnv = { NODE_EXTRA_CA_CERTS: ca, NODE_OPTIONS: `--import ${preloaded}`, PARLEY_TLS_PORT: String(tlsPort) };
  const redirectHere = () => redirect(tlsPort, { ca: readFileSync(ca) });
  const close = async () => {
    for (const server of [tls, proxy]) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
    rmSync(folder, { recursive: true, force: true });
  };
  return { env, nodeEnv, redirectHere, ca, close };
};
