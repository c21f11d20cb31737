import { beforeEach, describe, expect, test } from "@jest/globals";
import { LIMITS, MESSENGER_LIMITS, messengerUploads, type Endpoint, type File, type Image } from "@parley/contract";
import { outcome } from "../../console/console-harness.ts";
import { plainImage, packedPng } from "../../messaging/uploads/image-builder.ts";
import { clientForm, objectsIn } from "../../messaging/uploads/upload-form-builder.ts";
import { conversationHarness, type TestVisitor } from "../conversation-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

let visitor: TestVisitor;
const s = fileFixture(conversationHarness);
beforeEach(async () => {
  await s.sql("delete from visitor_uploads");
  visitor = await s.visitor();
});

const { uploadVisitorImage, uploadVisitorFile } = messengerUploads;

const uploadFile = (content: string | Uint8Array, { type = "text/plain", name = "a.txt", by = visitor } = {}) =>
  s.ask<File>(by, uploadVisitorFile, { body: clientForm("file", content, type, name) });
const uploadImage = (content: string | Uint8Array, type = "image/png", headers = {}) =>
  s.ask<Image>(visitor, uploadVisitorImage, { body: clientForm("image", content, type, "a.png"), headers });

const TODAY = "(now() at time zone 'utc')::date";
const WHOLE_ACCOUNT = "00000000-0000-0000-0000-000000000000";
/** Sets the bytes that a user, or the whole account, has uploaded today. */
const setCounted = (userId: string, bytes: number) =>
  s.sql(
    `insert into visitor_uploads (account_id, day, user_id, bytes)
     select id, ${TODAY}, $1, $2 from accounts where name = 'acme'
         on conflict (account_id, day, user_id) do update set bytes = excluded.bytes`,
    [userId, bytes],
  );
const counted = async (userId = visitor.userId): Promise<number> =>
  Number((await s.sql<{ bytes: string }>("select bytes from visitor_uploads where user_id = $1", [userId]))[0]?.bytes);
describe("POST /messenger/api/images", () => {
  test("POST /messenger/api/images 201 stores a picture", async () => {
    const { code, body } = await uploadImage(await plainImage("png"));
    expect([code, body.content_type, body.width, body.height]).toEqual([201, "image/png", 64, 48]);
    const reply = await fetch(body.url);
    expect([reply.status, reply.headers.get("content-disposition")]).toEqual([200, "inline"]);
    expect(reply.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
    expect(reply.headers.get("x-content-type-options")).toBe("nosniff");
  });

  test.each([
    ["SVG with a script", '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', "image/svg+xml"],
    ["HTML that is declared as a picture", "<!doctype html><script>alert(1)</script>", "image/png"],
    ["a program that begins like a picture", "GIF89a=1;alert(1)//", "image/gif"],
    ["a program", "MZ\x90\0\x03", "application/x-msdownload"],
  ])("POST /messenger/api/images 400 NOT_AN_IMAGE for %s", async (_, content, type) => {
    expect(outcome(await uploadImage(content, type))).toBe("400 NOT_AN_IMAGE");
  });

  test("POST /messenger/api/images 400 IMAGE_TOO_LARGE for a small file with many pixels", async () => {
    const bomb = packedPng(30_000, 30_000, 1);
    expect(bomb.length).toBeLessThan(LIMITS.image_bytes);
    expect(outcome(await uploadImage(bomb))).toBe("400 IMAGE_TOO_LARGE");
  });

  test("POST /messenger/api/images 429 UPLOAD_QUOTA_EXCEEDED", async () => {
    await setCounted(visitor.userId, MESSENGER_LIMITS.upload_bytes_per_visitor_day);
    expect(outcome(await uploadImage(await plainImage("png")))).toBe("429 UPLOAD_QUOTA_EXCEEDED");
  });

  test("POST /messenger/api/images 403 VISITOR_BLOCKED", async () => {
    await s.block(visitor);
    expect(outcome(await uploadImage(await plainImage("png")))).toBe("403 VISITOR_BLOCKED");
  });

  test("POST /messenger/api/images 410 KEPT_ANSWER_REMOVED after the picture was removed with its user", async () => {
    const picture = await plainImage("png");
    const key = { "idempotency-key": "picture-1" };
    const first = await uploadImage(picture, "image/png", key);
    expect((await uploadImage(picture, "image/png", key)).body).toMatchObject({ id: first.body.id });
    await s.sql("update idempotency_keys set body = null, fingerprint = '' where about = $1", [first.body.id]);
    expect(outcome(await uploadImage(picture, "image/png", key))).toBe("410 KEPT_ANSWER_REMOVED");
  });
});

describe("POST /messenger/api/files", () => {
  test.each([
    ["HTML", "<script>alert(1)</script>", "text/html", "a.html"],
    ["SVG", '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', "image/svg+xml", "a.svg"],
    ["a program", "MZ\x90\0\x03", "application/x-msdownload", "setup.exe"],
    ["a picture", "GIF89a=1;alert(1)//", "image/gif", "a.gif"],
  ])(
    "POST /messenger/api/files 201 stores %s, which browsers download and never execute",
    async (_, content, type, name) => {
      const { code, body } = await uploadFile(content, { type, name });
      expect([code, body.file_name, body.file_content_type]).toEqual([201, name, type]);
      const reply = await fetch(body.url);
      expect(reply.headers.get("content-disposition")).toMatch(/^attachment;/);
      expect(reply.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
      expect(reply.headers.get("x-content-type-options")).toBe("nosniff");
    },
  );

  test("a name that hides its ending is shown with it", async () => {
    const { body } = await uploadFile("x", { name: "photo\u202egpj.exe" });
    expect(body.file_name).toBe("photogpj.exe");
  });

  test("an archive of zeros is stored as it is and unpacked by nobody", async () => {
    const bomb = Buffer.concat([Buffer.from("PK\x03\x04"), Buffer.alloc(1_000)]);
    const { code, body } = await uploadFile(bomb, { type: "application/zip", name: "a.zip" });
    expect([code, body.file_size]).toEqual([201, bomb.length]);
  });

  test("a file above the maximum size is refused", async () => {
    expect(outcome(await uploadFile(Buffer.alloc(LIMITS.file_bytes + 1)))).toBe("413 PAYLOAD_TOO_LARGE");
    expect(await counted()).toBe(0);
  });

  test("POST /messenger/api/files 429 UPLOAD_QUOTA_EXCEEDED for a visitor, and for the account", async () => {
    await setCounted(visitor.userId, MESSENGER_LIMITS.upload_bytes_per_visitor_day);
    const stored = await objectsIn(s.objectsFolder);
    const ofVisitor = outcome(await uploadFile("x"));
    await setCounted(visitor.userId, 0);
    await setCounted(WHOLE_ACCOUNT, MESSENGER_LIMITS.upload_bytes_per_account_day);
    const ofAccount = outcome(await uploadFile("x", { by: await s.visitor() }));
    expect([ofVisitor, ofAccount]).toEqual(Array(2).fill("429 UPLOAD_QUOTA_EXCEEDED"));
    expect(await objectsIn(s.objectsFolder)).toEqual(stored);
    expect(await counted()).toBe(0);
  });

  test("an upload counts with its bytes, for the visitor and the account", async () => {
    await uploadFile("four");
    await uploadFile("seven b");
    expect([await counted(), await counted(WHOLE_ACCOUNT)]).toEqual([11, 11]);
  });

  test("concurrent uploads of several sessions don't exceed the quota together", async () => {
    const size = 1_000_000;
    await setCounted(visitor.userId, MESSENGER_LIMITS.upload_bytes_per_visitor_day - 2.5 * size);
    const sessions = [visitor, await s.session(visitor)];
    const replies = await Promise.all(
      [0, 1, 2, 3, 4, 5].map((index) => uploadFile(Buffer.alloc(size), { by: sessions[index % 2] ?? visitor })),
    );
    const codes = replies.map(outcome).sort();
    expect(codes.filter((code) => code === "201").length).toBeLessThanOrEqual(2);
    expect(codes.filter((code) => code !== "201").every((code) => code === "429 UPLOAD_QUOTA_EXCEEDED")).toBe(true);
    expect(await counted()).toBeLessThanOrEqual(MESSENGER_LIMITS.upload_bytes_per_visitor_day);
  });

  test("a failed upload gives its bytes back", async () => {
    await uploadImage("not a picture");
    expect([await counted(), await counted(WHOLE_ACCOUNT)]).toEqual([0, 0]);
  });

  test("the counts of earlier days are removed by the first upload of a day", async () => {
    await s.sql(
      `insert into visitor_uploads (account_id, day, user_id, bytes)
       select id, ${TODAY} - 1, $1, 5 from accounts where name = 'acme'`,
      [visitor.userId],
    );
    await uploadFile("x");
    const rows = await s.sql<{ is_today: boolean }>(`select day = ${TODAY} as is_today from visitor_uploads`);
    expect(rows).toEqual(Array(2).fill({ is_today: true }));
  });

  test("the count of a deleted user is removed", async () => {
    await uploadFile("x");
    await s.client.users.deleteUser({ params: { user_id: visitor.userId } });
    expect(await s.sql("select from visitor_uploads where user_id = $1", [visitor.userId])).toEqual([]);
  });

  test("POST /messenger/api/files 403 VISITOR_BLOCKED", async () => {
    await s.block(visitor);
    expect(outcome(await uploadFile("x"))).toBe("403 VISITOR_BLOCKED");
  });

  test("POST /messenger/api/files 410 KEPT_ANSWER_REMOVED after the file was removed", async () => {
    const send = () =>
      s.ask<File>(visitor, uploadVisitorFile, {
        body: clientForm("file", "x", "text/plain", "a.txt"),
        headers: { "idempotency-key": "file-1" },
      });
    const { body } = await send();
    expect((await send()).body.file_hash).toBe(body.file_hash);
    await s.sql("update idempotency_keys set body = null, fingerprint = '' where about = $1", [body.file_hash]);
    expect(outcome(await send())).toBe("410 KEPT_ANSWER_REMOVED");
  });
});

test.each([uploadVisitorImage, uploadVisitorFile] as readonly Endpoint[])(
  "$route refuses a body other than a form",
  async (row) => {
    expect(outcome(await s.ask(visitor, row, { body: {} }))).toBe("415 UNSUPPORTED_MEDIA_TYPE");
  },
);
