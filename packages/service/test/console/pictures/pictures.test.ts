import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { MessagePart } from "@parley/contract";
import { consoleHarness, outcome, UNKNOWN_ID, type ConsoleAgent, type ConsoleHarness } from "../console-harness.ts";
import { plainImage } from "../../messaging/uploads/image-builder.ts";

const PNG = await plainImage("png");
/** A public host, whose requests reach the server of this test. */
const HOST = "https://pictures.example.org";

let s: ConsoleHarness;
let server: Server;
let port: number;
/** Requests that the server has received. */
const received: string[] = [];

type Answer = readonly [code: number, type: string, body: string | Buffer, headers?: Readonly<Record<string, string>>];
const ANSWERS: Readonly<Record<string, Answer>> = {
  "/picture.png": [200, "image/png", PNG],
  "/declared-as-page": [200, "text/html", PNG],
  "/page": [200, "image/png", "<!doctype html><script>alert(1)</script>"],
  "/drawing.svg": [200, "image/svg+xml", '<svg xmlns="http://www.w3.org/2000/svg"/>'],
  "/absent": [404, "image/png", PNG],
  "/moved": [302, "image/png", PNG, { location: `${HOST}/picture.png` }],
  "/large.png": [200, "image/png", Buffer.concat([PNG, Buffer.alloc(11 * 1_048_576)])],
};

beforeAll(async () => {
  server = createServer(({ url = "", headers }, reply) => {
    received.push(url);
    expect([headers.cookie, headers.referer, headers.authorization]).toEqual([undefined, undefined, undefined]);
    const [code, type, body, more] = ANSWERS[url] ?? [404, "text/plain", ""];
    reply.writeHead(code, { "content-type": type, ...more }).end(body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  ({ port } = server.address() as AddressInfo);
  const origin = `http://127.0.0.1:${port}`;
  s = await consoleHarness({ pictureHosts: new Map([["pictures.example.org", { origin }]]) });
});
afterAll(async () => {
  await s.close();
  server.close();
});
beforeEach(() => void received.splice(0));

const load = (agent: ConsoleAgent, path: string, url: string) =>
  s.call<{ readonly text: string }>(agent, "GET", `${path}/picture?${new URLSearchParams({ url })}`);

/** A conversation with a message that contains the address. -> the path of the message */
const messageWith = async (
  url: string,
  part: (url: string) => MessagePart = () => ({ image: { url } }),
): Promise<string> => {
  const { conversation_id, user_id } = await s.conversation("Ada");
  const { id } = await s.client.messages.createMessage({
    params: { conversation_id },
    body: { actor_type: "user", actor_id: user_id, message_parts: [part(url)] },
  });
  return `/conversations/${conversation_id}/messages/${id}`;
};

/** The objects with addresses of pictures: what stores the address. -> the path of the object */
const OBJECTS: Readonly<Record<string, (url: string) => Promise<string>>> = {
  "GET /console/api/users/{user_id}/picture 200 and 404 PICTURE_NOT_AVAILABLE": async (url) => {
    const { id } = await s.client.users.createUser({ body: { first_name: "Ada", avatar: { url } } });
    return `/users/${id}`;
  },
  "GET /console/api/agents/{agent_id}/picture 200 and 404 PICTURE_NOT_AVAILABLE": async (url) => {
    await s.client.agents.updateAgent({ params: { agent_id: s.maya.id }, body: { avatar: { url } } });
    return `/agents/${s.maya.id}`;
  },
  "GET /console/api/channels/{channel_id}/picture 200 and 404 PICTURE_NOT_AVAILABLE": async (url) => {
    const [channel] = s.channels;
    const channels = [{ id: channel?.id, name: channel?.name, icon: { url } }];
    const { code } = await s.adminRequest("PUT", "/admin/accounts/acme", { name: "acme", channels });
    expect(code).toBe(200);
    return `/channels/${channel?.id}`;
  },
  "GET /console/api/conversations/{conversation_id}/messages/{message_id}/picture 200 and 404 PICTURE_NOT_AVAILABLE": (
    url,
  ) => messageWith(url),
};

describe.each(Object.entries(OBJECTS))("%s", (_, store) => {
  test("loads a picture from a public host, for pages of the console only", async () => {
    const path = await store(`${HOST}/picture.png`);
    const { code, headers } = await load(s.diego, path, `${HOST}/picture.png`);
    expect([code, headers.get("content-type"), headers.get("content-length")]).toEqual([
      200,
      "image/png",
      String(PNG.length),
    ]);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
    expect(headers.get("cache-control")).toBe("private, max-age=3600");
    expect(received).toEqual(["/picture.png"]);
  });

  test("refuses an address that the object does not have, without a request", async () => {
    const path = await store(`${HOST}/picture.png`);
    for (const [at, url] of [
      [path, `${HOST}/other.png`],
      [path, `${HOST}/picture`],
      [path.replace(/[^/]+$/, UNKNOWN_ID), `${HOST}/picture.png`],
      [path.replace(/[^/]+$/, "x"), `${HOST}/picture.png`],
    ] as const)
      expect(outcome(await load(s.diego, at, url))).toBe("404 PICTURE_NOT_AVAILABLE");
    expect(received).toEqual([]);
  });
});

describe("a picture of a message", () => {
  test("of a card is loaded", async () => {
    const card = (url: string): MessagePart => {
      const sections = [
        { name: "hero_image", parts: [{ image: { url } }] },
        { name: "title", parts: [{ text: { content: "Chair" } }] },
        { name: "callback", parts: [{ callback: { payload: "chair", label: "Buy" } }] },
      ];
      const cards = [{ template_content: { type: "carousel_card_default", sections } }];
      const title = { name: "carousel_title", parts: [{ text: { content: "Chairs" } }] };
      return { template_content: { type: "carousel", sections: [title, { name: "cards", parts: cards }] } };
    };
    const { conversation_id } = await s.conversation("Ada");
    const { id } = await s.client.messages.createMessage({
      params: { conversation_id },
      body: {
        actor_type: "bot",
        message_parts: [{ text: { content: "Look" } }],
        reply_parts: [card(`${HOST}/picture.png`)],
      },
    });
    const { code } = await load(s.diego, `/conversations/${conversation_id}/messages/${id}`, `${HOST}/picture.png`);
    expect(code).toBe(200);
  });

  test("is shown as what its content is, whatever its host declares", async () => {
    const url = `${HOST}/declared-as-page`;
    const { code, headers } = await load(s.diego, await messageWith(url), url);
    expect([code, headers.get("content-type")]).toEqual([200, "image/png"]);
  });

  test.each([
    ["/page", "It is not a PNG, JPEG, GIF or WebP."],
    ["/drawing.svg", "It is not a PNG, JPEG, GIF or WebP."],
    ["/absent", "Its host answered with 404."],
    ["/moved", "Its host answered with 302."],
    ["/large.png", "It is larger than a picture may be."],
  ])("is refused if its host answers as %s does", async (path, reason) => {
    const reply = await load(s.diego, await messageWith(HOST + path), HOST + path);
    expect([outcome(reply), reply.body.message]).toEqual([
      "404 PICTURE_NOT_AVAILABLE",
      `The picture can't be loaded. ${reason}`,
    ]);
    expect(received).toEqual([path]);
  });

  test.each([
    ["http://127.0.0.1:PORT/picture.png", "Its address is not one of https."],
    ["https://127.0.0.1:PORT/picture.png", "Its address is not public."],
    ["https://2130706433:PORT/picture.png", "Its address is not public."],
    ["https://[::1]:PORT/picture.png", "Its address is not public."],
    ["https://[::ffff:127.0.0.1]:PORT/picture.png", "Its address is not public."],
    ["https://localhost:PORT/picture.png", "Its address is not public."],
    ["https://10.0.0.1/picture.png", "Its address is not public."],
    ["https://169.254.169.254/latest/meta-data", "Its address is not public."],
    ["https://service/picture.png", "Its address is not public."],
    ["https://user:word@pictures.example.org/picture.png", "Its address contains credentials."],
  ])("at %s is refused without a request", async (template, reason) => {
    const url = template.replace("PORT", String(port));
    // A browser on this machine would reach the server.
    if (template.includes("PORT") && !template.includes("[::1]")) {
      expect((await fetch(url.replace("https:", "http:"))).status).toBe(200);
      received.splice(0);
    }
    const reply = await load(s.diego, await messageWith(url), url);
    expect([outcome(reply), reply.body.message]).toEqual([
      "404 PICTURE_NOT_AVAILABLE",
      `The picture can't be loaded. ${reason}`,
    ]);
    expect(received).toEqual([]);
  });

  test("of another account, another conversation, or outside of the agent's scope is not loaded", async () => {
    const url = `${HOST}/picture.png`;
    const path = await messageWith(url);
    const other = await s.conversation("Bea");
    const limited = await s.newAgent("Lim", "Me");
    const moved = path.replace(/conversations\/[^/]+/, `conversations/${other.conversation_id}`);
    expect(outcome(await load(s.diego, moved, url))).toBe("404 PICTURE_NOT_AVAILABLE");
    expect(outcome(await load(limited, path, url))).toBe("404 CONVERSATION_NOT_FOUND");
    expect(received).toEqual([]);
  });
});
