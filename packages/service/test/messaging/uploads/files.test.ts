import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { LIMITS, type File } from "@parley/contract";
import { firstChannelId, conversationFixture } from "../conversations/conversation-fixture.ts";
import { plainRequest } from "../../plain-http.ts";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";
import { clientForm, filePart, FORM_TYPE, formOf } from "./upload-form-builder.ts";

let w: ServiceHarness;
let conversation: { conversation_id: string };
let userId: string;
beforeAll(async () => {
  w = await serviceHarness();
  const started = await conversationFixture(w, await firstChannelId(w));
  ({ userId } = started);
  conversation = { conversation_id: started.conversationId };
});
afterAll(() => w.close());

const upload = async (content: string | Uint8Array, { type = "text/plain", name = "a.txt", token = w.token } = {}) => {
  const body = clientForm("file", content, type, name);
  const reply = await w.raw("POST", "/v2/files/upload", { body, headers: { authorization: `Bearer ${token}` } });
  return { status: reply.status, file: (await reply.json()) as File };
};

/** Sends the name unchanged, which clients would normalize. */
const rawUpload = async (name: string, type = "text/plain") => {
  const { status, text } = await plainRequest(w.url, {
    method: "POST",
    path: "/v2/files/upload",
    headers: { authorization: `Bearer ${w.token}`, "content-type": FORM_TYPE },
    body: formOf([filePart("x", { name, type })]),
  });
  return { status, file: JSON.parse(text) as File };
};

const hashOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

describe("POST /files/upload", () => {
  test("POST /files/upload 201: stores a file of any type, and its URL downloads it", async () => {
    const { status, file } = await upload("<script>alert(1)</script>", {
      type: "text/html",
      name: "Grüße aus Köln.html",
    });
    expect(status).toBe(201);
    expect(file).toEqual({
      file_name: "Grüße aus Köln.html",
      file_size: 25,
      file_content_type: "text/html",
      file_hash: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/objects\/uploads\/\d+\/[0-9a-f-]+\?/) as unknown,
    });
    const reply = await fetch(file.url);
    expect([reply.status, await reply.text()]).toEqual([200, "<script>alert(1)</script>"]);
    expect(reply.headers.get("content-disposition")).toBe(
      `attachment; filename="Gr__e aus K_ln.html"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20aus%20K%C3%B6ln.html`,
    );
    expect(reply.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
    expect(reply.headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("accepts an empty file, and one of exactly the maximum size; every byte is stored", async () => {
    const empty = await upload("");
    expect([empty.status, empty.file.file_size]).toEqual([201, 0]);
    expect((await fetch(empty.file.url)).headers.get("content-length")).toBe("0");
    const bytes = Buffer.alloc(LIMITS.file_bytes, "The quick brown fox\r\n------jumps\r\n--");
    const { status, file } = await upload(bytes, { type: "application/zip" });
    expect([status, file.file_size]).toEqual([201, LIMITS.file_bytes]);
    expect(hashOf(Buffer.from(await (await fetch(file.url)).arrayBuffer()))).toBe(hashOf(bytes));
    const more = await upload(Buffer.alloc(LIMITS.file_bytes + 1));
    expect(more).toMatchObject({ status: 413, file: { status: "PAYLOAD_TOO_LARGE" } });
  });

  test("returns different hashes for two uploads of the same content", async () => {
    const [one, two] = await Promise.all([upload("same"), upload("same")]);
    expect(one.file.file_hash).not.toBe(two.file.file_hash);
  });

  test.each([
    ["../../etc/passwd", "passwd"],
    ["C:\\\\Windows\\\\win.ini", "win.ini"],
    ["a/b/", "file"],
    ["..", "file"],
    ["   ", "file"],
    ["\u0001\u0007bell\u007f.txt", "bell.txt"],
    ["photo\u202egpj.exe", "photogpj.exe"],
    ["文件 📎.pdf", "文件 📎.pdf"],
    ["__proto__", "__proto__"],
    ["n".repeat(300) + ".txt", "n".repeat(251) + ".txt"],
    ["📎".repeat(200), "📎".repeat(127)],
    ["a;b=c.txt", "a;b=c.txt"],
  ])("converts the name %j to the safe name %j", async (sent, stored) => {
    const { status, file } = await rawUpload(sent);
    expect([status, file.file_name]).toEqual([201, stored]);
    expect(file.url.length).toBeLessThanOrEqual(LIMITS.url_characters);
    expect((await fetch(file.url)).status).toBe(200);
  });

  test.each([
    ["text/plain; charset=utf-8", "text/plain"],
    ["APPLICATION/PDF", "application/pdf"],
    ["nonsense", "application/octet-stream"],
    ["text/", "application/octet-stream"],
    ["a/b\u0001", "application/octet-stream"],
    ["x".repeat(300) + "/y", "application/octet-stream"],
  ])("stores the type %j as %s", async (sent, stored) => {
    const { file } = await rawUpload("a.txt", sent);
    expect(file.file_content_type).toBe(stored);
    expect((await fetch(file.url)).headers.get("content-type")).toBe(stored);
  });
});

const send = async (file: object) => {
  const reply = await w.raw("POST", `/v2/conversations/${conversation.conversation_id}/messages`, {
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      actor_type: "user",
      actor_id: userId,
      message_parts: [{ text: { content: "see" } }, { file }],
    }),
  });
  return {
    code: reply.status,
    body: (await reply.json()) as { message_parts: object[]; status: string; message: string },
  };
};

describe("a part of kind file", () => {
  test("that names an upload by its file_hash gets its members, regardless of the given members", async () => {
    const { file } = await upload("%PDF", { type: "application/pdf", name: "invoice.pdf" });
    const { file_hash } = file;
    const lies = { name: "other.exe", file_size_in_bytes: 1, content_type: "text/html" };
    for (const sent of [{ file_hash }, { file_hash: file_hash.toUpperCase(), ...lies }]) {
      const { code, body } = await send(sent);
      expect(code).toBe(200);
      expect(body.message_parts[1]).toEqual({
        file: {
          name: "invoice.pdf",
          url: expect.stringContaining(`${w.url}/objects/uploads/`) as unknown,
          file_size_in_bytes: 4,
          content_type: "application/pdf",
        },
      });
    }
    const { messages } = await w.client.messages.listMessages({ params: conversation, query: {} });
    const reply = await fetch(messages[0]?.message_parts[1]?.file?.url ?? "");
    expect([reply.status, await reply.text()]).toEqual([200, "%PDF"]);
  });

  test("is accepted in the messages of POST /conversations too", async () => {
    const { file } = await upload("x");
    const created = await w.client.conversations.createConversation({
      body: {
        channel_id: await firstChannelId(w),
        users: [{ id: userId }],
        messages: [{ actor_type: "user", actor_id: userId, message_parts: [{ file: { file_hash: file.file_hash } }] }],
      },
    });
    expect(created.messages?.[0]?.message_parts[0]?.file).toMatchObject({ name: "a.txt", file_size_in_bytes: 1 });
    conversation = { conversation_id: created.conversation_id };
  });

  test("with a URL is unchanged", async () => {
    const file = { name: "b.txt", url: "https://example.com/b.txt", content_type: "text/plain" };
    const { body } = await send(file);
    expect(body.message_parts[1]).toEqual({ file });
  });

  test.each([
    ["neither", {}],
    ["nothing but a name", { name: "a.txt" }],
    ["nulls only", { url: null, file_hash: null }],
    ["both", { url: "https://example.com/a", file_hash: "x" }],
  ])("with %s of url and file_hash is refused", async (_, file) => {
    const { code, body } = await send(file);
    expect([code, body.status]).toEqual([400, "INVALID_MESSAGE_PARTS"]);
    expect(body.message).toMatch(/message_parts\[1\]\.file must have exactly one of url and file_hash/);
  });

  test.each(["", "42", "0".repeat(64), "00000000-0000-0000-0000-000000000000", "' or true --", "__proto__"])(
    "with the unknown hash %j is refused",
    async (file_hash) => {
      const { code, body } = await send({ file_hash });
      expect([code, body.status]).toEqual([400, "INVALID_MESSAGE_PARTS"]);
      expect(body.message).toMatch(/message_parts\[1\]\.file\.file_hash names no uploaded file/);
    },
  );

  test("with another account's hash, or an image's id, is refused", async () => {
    const { token } = await w.admin.issueToken({ account: "solo", name: "other" });
    const foreign = await upload("x", { token });
    expect(foreign.status).toBe(201);
    expect((await send({ file_hash: foreign.file.file_hash })).code).toBe(400);
  });

  test.each([[{ file_hash: 42 }], [{ file_hash: "x".repeat(1_025) }], [{ file_hash: ["x"] }]])(
    "with %j is no value",
    async (file) => {
      const { code, body } = await send(file);
      expect([code, body.status]).toEqual([400, "INVALID_VALUE"]);
    },
  );
});
