/** Answers in place of the addresses outside that the apps ask, and remembers what came. */
import { createServer } from "node:http";

const json = (value) => ({ status: 200, body: JSON.stringify(value) });

/** What each host says; `service` is where the local messaging service listens. */
const ANSWERS = {
  "api.freshchat.com": async ({ method, url, headers, body }, service) => {
    const answer = await fetch(new URL(url, service), {
      method,
      headers: { authorization: headers.authorization ?? "", accept: "application/json" },
      ...(body && { body }),
    });
    return { status: answer.status, body: await answer.text() };
  },
  "acme.statuspage.io": () =>
    json({
      page: { name: "Acme", url: "https://acme.statuspage.io" },
      components: [
        { name: "Checkout", status: "operational" },
        { name: "Search", status: "major_outage" },
      ],
    }),
  "acme.freshdesk.com": ({ url }) =>
    json(url.startsWith("/api/v2/contacts") ? [{ name: "Ada Park" }, { name: "Ben Rue" }] : []),
  "httpbin.org": () => ({ status: 200, body: "" }),
  "anapioficeandfire.com": () => json([{ name: "A book" }]),
};

export const HOSTS = Object.keys(ANSWERS);

const textOf = async (request) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

/** Listens on loopback. -> `origin`, `heard(host)`: the requests so far; `serves(origin)`: where the service is; `close()` */
export const startStandIn = async () => {
  const heard = [];
  let service;
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    const host = headers.host?.split(":")[0] ?? "";
    const body = await textOf(request);
    heard.push({ host, method, url, headers, body });
    const answer = ANSWERS[host]
      ? await ANSWERS[host]({ method, url, headers, body }, service)
      : { status: 404, body: "" };
    response.writeHead(answer.status, { "content-type": "application/json" }).end(answer.body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    heard: (host) => heard.filter((each) => each.host === host),
    serves: (origin) => void (service = origin),
    close: () => new Promise((resolve) => server.close(resolve)),
  };
};
