import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { File, Image, MessagePart } from "@parley/contract";
import { ofKind, receiver } from "../../events/dispatch/fake-subscriber.ts";
import { firstChannelId } from "../conversations/conversation-fixture.ts";
import { plainRequest } from "../../plain-http.ts";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";
import { clientForm } from "./upload-form-builder.ts";
import { plainImage } from "./image-builder.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
let time = Date.parse("2026-05-05T05:05:05.000Z");
let w: ServiceHarness;
let channel_id: string;
beforeAll(async () => {
  w = await serviceHarness({ ports: { now: () => new Date(time) } });
  channel_id = await firstChannelId(w);
});
afterAll(() => w.close());

const file = async (name = "a.txt", token = w.token): Promise<File> => {
  const body = clientForm("file", `content of ${name}`, "text/plain", name);
  const reply = await w.raw("POST", "/v2/files/upload", { body, headers: { authorization: `Bearer ${token}` } });
  return (await reply.json()) as File;
};
const image = async (): Promise<Image> => {
  const body = clientForm("image", await plainImage("png"), "image/png", "a.png");
  return (await (await w.raw("POST", "/v2/images/upload", { body })).json()) as Image;
};
const statusOf = async (url: string | undefined): Promise<number> => (await fetch(url ?? "")).status;

/** Creates a user and a conversation whose first message has these parts. */
const conversationWith = async (message_parts: MessagePart[]) => {
  const user = await w.client.users.createUser({ body: {} });
  const created = await w.client.conversations.createConversation({
    body: {
      channel_id,
      users: [{ id: user.id }],
      messages: [{ actor_type: "user", actor_id: user.id, message_parts }],
    },
  });
  const params = { conversation_id: created.conversation_id };
  return {
    created,
    userId: user.id,
    say: (parts: MessagePart[]) =>
      w.client.messages.createMessage({
        params,
        body: { actor_type: "user", actor_id: user.id, message_parts: parts },
      }),
    newest: async () => {
      const { messages } = await w.client.messages.listMessages({ params, query: {} });
      return messages[0]?.message_parts ?? [];
    },
  };
};

describe("the URL of an upload", () => {
  test("is valid for seven days, to the second", async () => {
    const { url } = await file();
    time += 7 * DAY_MS - 1_000;
    expect(await statusOf(url)).toBe(200);
    time += 1_000;
    expect(await statusOf(url)).toBe(403);
  });

  test("in an old message is renewed for each reader, in every kind of part", async () => {
    const [photo, attached] = [await image(), await file("b.txt")];
    const parts: MessagePart[] = [
      { image: { url: photo.url } },
      { image: { url: photo.thumbnail.url } },
      { video: { url: attached.url, content_type: "video/mp4" } },
      { file: { url: attached.url, name: "b.txt" } },
      { file: { file_hash: attached.file_hash } },
      { collection: { sub_parts: [{ url_button: { url: attached.url, label: "open" } }] } },
    ];
    const { newest } = await conversationWith(parts);
    time += 8 * DAY_MS;
    expect(await Promise.all([photo.url, attached.url].map(statusOf))).toEqual([403, 403]);
    const urls = (await newest()).map(
      (part) => (part.image ?? part.video ?? part.file ?? part.collection?.sub_parts[0]?.url_button)?.url,
    );
    expect(urls).toHaveLength(6);
    expect(await Promise.all(urls.map(statusOf))).toEqual([200, 200, 200, 200, 200, 200]);
    const reply = await fetch(urls[3] ?? "");
    expect(await reply.text()).toBe("content of b.txt");
    expect(reply.headers.get("content-disposition")).toContain('filename="b.txt"');
  });

  test("that has expired is renewed in the response to a message, and in an avatar", async () => {
    const { url } = await image();
    const { say } = await conversationWith([{ text: { content: "hello" } }]);
    time += 8 * DAY_MS;
    const sent = await say([{ image: { url } }]);
    expect(await statusOf(sent.message_parts[0]?.image?.url)).toBe(200);
    const user = await w.client.users.createUser({ body: { avatar: { url } } });
    time += 8 * DAY_MS;
    const params = { user_id: user.id };
    const { users } = await w.client.users.fetchUsers({ body: { ids: [user.id] } });
    const found = [await w.client.users.getUser({ params }), ...users];
    expect(await Promise.all(found.map(({ avatar }) => statusOf(avatar?.url)))).toEqual([200, 200]);
  });

  test("is renewed in an event when that is sent", async () => {
    const { url } = await image();
    time += 8 * DAY_MS;
    const host = await receiver();
    try {
      await w.admin.subscribe({ account: "acme", name: "pictures", kind: "app", url: host.url });
      const { say } = await conversationWith([{ text: { content: "hello" } }]);
      await say([{ image: { url } }]);
      const eventPart = () =>
        ofKind(host.accepted, "message_create").flatMap(({ data }) => data.message?.messages?.[0]?.message_parts ?? []);
      await host.until(() => eventPart().some((part) => part.image));
      const fresh = eventPart().find((part) => part.image)?.image?.url;
      expect(fresh).not.toBe(url);
      expect(await statusOf(fresh)).toBe(200);
    } finally {
      await host.close();
    }
  });

  test("starts with the host of the request", async () => {
    const { url } = await file();
    const { created, newest } = await conversationWith([{ file: { url } }]);
    expect((await newest())[0]?.file?.url).toMatch(new RegExp(`^${w.url}/objects/`));
    const { text } = await plainRequest(w.url, {
      path: `/v2/conversations/${created.conversation_id}/messages`,
      headers: { host: "chat.example.com:8080", authorization: `Bearer ${w.token}` },
    });
    expect(text).toContain('"url":"http://chat.example.com:8080/objects/uploads/');
    const odd = await plainRequest(w.url, {
      path: `/v2/conversations/${created.conversation_id}/messages`,
      headers: { host: 'a"b<c', authorization: `Bearer ${w.token}` },
    });
    expect([odd.status, (JSON.parse(odd.text) as { status: string }).status]).toEqual([400, "MALFORMED_REQUEST"]);
  });

  test("is replaced only if it is the whole text", async () => {
    const { url } = await file();
    const content = `see ${url} and "url":"${url}"`;
    const { newest } = await conversationWith([{ text: { content } }]);
    time += 8 * DAY_MS;
    expect(await newest()).toEqual([{ text: { content } }]);
  });
});

describe("a URL is not renewed", () => {
  const unchangedUrl = async (url: string) => {
    const { newest } = await conversationWith([{ image: { url } }]);
    time += 8 * DAY_MS;
    const found = (await newest())[0]?.image?.url;
    expect(found).toBe(url);
    return found;
  };

  test("for another account, and expires", async () => {
    const { token } = await w.admin.issueToken({ account: "solo", name: "other" });
    const foreign = await file("secret.txt", token);
    expect(await statusOf(await unchangedUrl(foreign.url))).toBe(403);
  });

  const alterations: [string, (url: URL) => void][] = [
    ["of another upload", (url) => void (url.pathname = url.pathname.replace(/[0-9a-f]{4}$/, "0000"))],
    ["with another type", (url) => url.searchParams.set("type", "text/html")],
    ["with another name", (url) => url.searchParams.set("name", "evil.exe")],
    ["with another end", (url) => url.searchParams.set("expires", "99999999999")],
    ["without a signature", (url) => url.searchParams.delete("signature")],
  ];
  test.each(alterations)("in the form %s", async (_, alter) => {
    const url = new URL((await file()).url);
    alter(url);
    expect(await statusOf(await unchangedUrl(url.href))).toBe(403);
  });

  test.each([
    "/objects/uploads/",
    "http://x/objects/uploads/1/a",
    "http://[/objects/uploads/1/a?signature=x",
    "x/objects/uploads/%",
  ])("within a text such as %s", async (url) => {
    await unchangedUrl(url);
  });
});

test("PARLEY_PUBLIC_URL is the start of every URL", async () => {
  const config = { publicUrl: "https://chat.example.com" };
  const other = await serviceHarness({ config, database: w.database, objectsFolder: w.objectsFolder });
  const body = clientForm("file", "x", "text/plain", "a.txt");
  const { url } = (await (await other.raw("POST", "/v2/files/upload", { body })).json()) as File;
  expect(url).toMatch(/^https:\/\/chat\.example\.com\/objects\/uploads\//);
  expect(await statusOf(url.replace(config.publicUrl, other.url))).toBe(200);
  await other.close();
});
