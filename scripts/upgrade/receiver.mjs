/** Receives the webhook of the run, and the reports of its app. */
import { createServer } from "node:http";

/** @shape `events(name)`: ids of messages by subscriber, each with the place at which it arrived first */
export const openReceiver = async () => {
  const seen = { webhook: new Map(), app: new Map() };
  const idOf = {
    webhook: ({ data: { message } }) => message.id,
    app: ({ id }) => id,
  };
  const server = createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("error", () => undefined);
    request.on("end", () => {
      const name = request.url.slice(1);
      const body = JSON.parse(Buffer.concat(chunks).toString("utf8"));
      const id = idOf[name]?.(body);
      if (id !== undefined && !seen[name].has(id)) seen[name].set(id, seen[name].size);
      response.writeHead(200).end();
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    events: (name) => seen[name],
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
};
