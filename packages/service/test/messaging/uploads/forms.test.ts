import { connect } from "node:net";
import { setTimeout } from "node:timers/promises";
import { afterEach, describe, expect, test } from "@jest/globals";
import { LIMITS } from "@parley/contract";
import { plainBytes, plainRequest } from "../../plain-http.ts";
import { serviceHarness } from "../../service-harness.ts";
import { filePart, FORM_TYPE, formOf, objectsIn, uploadRefusal, type FormPart } from "./upload-form-builder.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const w = fileFixture(() => serviceHarness({ requestTimeouts: { requestMs: 1_500, checkIntervalMs: 50 } }));

/** A refused or interrupted upload leaves nothing, and causes no internal error. */
afterEach(async () => {
  expect(await objectsIn(w.objectsFolder)).toEqual([]);
  expect(w.logLines).toEqual([]);
});

const PATH = "/v2/files/upload";
const send = (body: Buffer | string, headers: Record<string, string> = {}, path = PATH) =>
  plainRequest(w.url, {
    method: "POST",
    path,
    body,
    headers: { authorization: `Bearer ${w.token}`, "content-type": FORM_TYPE, ...headers },
  });

const field = (name: string, content = "x"): FormPart => ({ disposition: `name="${name}"`, content });
const good = filePart("hello");
const completeForm = formOf([good]);
const many = Array.from({ length: 60 }, (_, index) => field(`f${index}`));

const FORMS: [string, Buffer, number, string, RegExp][] = [
  ["no part", formOf([]), 400, "MISSING_PARAMETER", /part 'file' with a file/],
  ["only other fields", formOf([field("a"), field("b")]), 400, "MISSING_PARAMETER", /part 'file'/],
  ["a field in place of the file", formOf([field("file")]), 400, "MISSING_PARAMETER", /'file' must be a file/],
  ["the file in another part", formOf([filePart("x", { part: "image" })]), 400, "MISSING_PARAMETER", /part 'file'/],
  ["an empty name of the part", formOf([filePart("x", { part: "" })]), 400, "MISSING_PARAMETER", /part 'file'/],
  [
    "a part with a name beyond measure",
    formOf([filePart("x", { part: "file".padEnd(5_000, "e") })]),
    400,
    "MISSING_PARAMETER",
    /part 'file'/,
  ],
  [
    "a file field that nobody filled in",
    formOf([filePart("", { name: "", type: "application/octet-stream" })]),
    400,
    "MISSING_PARAMETER",
    /holds no file/,
  ],
  ["two files", formOf([good, good]), 400, "INVALID_FORM", /one file/],
  ["a second file in another part", formOf([good, filePart("x", { part: "other" })]), 400, "INVALID_FORM", /one file/],
  ["a file that the form's end cuts off", formOf([good], ""), 400, "INVALID_FORM", /not a complete form/],
  ["a field that the form's end cuts off", formOf([good, field("a")], ""), 400, "INVALID_FORM", /not a complete form/],
  ["half a delimiter at its end", completeForm.subarray(0, -6), 400, "INVALID_FORM", /not a complete form/],
  ["a field with a reserved name", formOf([field("__proto__"), good]), 400, "INVALID_FORM", /not a complete form/],
  [
    "a file with a reserved name",
    formOf([filePart("x", { part: "__proto__" })]),
    400,
    "INVALID_FORM",
    /not a complete form/,
  ],
  ["a reserved name after the file", formOf([good, field("constructor")]), 400, "INVALID_FORM", /not a complete form/],
  ["nothing at all", Buffer.from(""), 400, "MISSING_PARAMETER", /part 'file'/],
  ["no form", Buffer.from("hello, world"), 400, "INVALID_FORM", /not a complete form/],
  ["a file part named __proto__", formOf([filePart("x", { part: "__proto__" })]), 400, "INVALID_FORM", /./],
  ["a field named constructor", formOf([field("constructor"), good]), 400, "INVALID_FORM", /./],
  ["parts without end", formOf([...many, good]), 413, "PAYLOAD_TOO_LARGE", /parts/],
];

describe.each([
  ["POST /files/upload", PATH, "file"],
  ["POST /images/upload", "/v2/images/upload", "image"],
])("%s", (_route, path, part) => {
  const requestWith = (form: Buffer) => {
    const text = form.toString("latin1").replaceAll('name="file"', `name="${part}"`);
    return Buffer.from(part === "image" ? text.replaceAll("text/plain", "image/png") : text, "latin1");
  };

  test.each(FORMS)("refuses a form with %s, in the common format", async (name, form, code, token, message) => {
    // The part's name of one endpoint is wrong at the other.
    const body = name === "the file in another part" ? formOf([filePart("x", { part: "other" })]) : requestWith(form);
    const refusal = uploadRefusal(await send(body, {}, path));
    expect(refusal).toMatchObject({ code, bodyCode: code, token });
    expect(refusal.message).toMatch(new RegExp(message.source.replaceAll("file'", `${part}'`)));
  });

  test.each([
    ["JSON", { "content-type": "application/json" }],
    ["a text", { "content-type": "text/plain" }],
    ["another kind of form", { "content-type": "application/x-www-form-urlencoded" }],
    ["several parts of no form", { "content-type": FORM_TYPE.replace("form-data", "mixed") }],
    ["a packed form", { "content-encoding": "gzip" }],
  ])("refuses %s with 415 UNSUPPORTED_MEDIA_TYPE", async (_kind, headers) => {
    const refusal = uploadRefusal(await send(requestWith(completeForm), headers, path));
    expect(refusal).toMatchObject({ code: 415, token: "UNSUPPORTED_MEDIA_TYPE" });
    expect(refusal.message).toContain(`'${part}'`);
  });

  test("refuses a body without a media type with 415, and one without a boundary with 400", async () => {
    const { authorization } = { authorization: `Bearer ${w.token}` };
    const bare = await plainRequest(w.url, { method: "POST", path, body: completeForm, headers: { authorization } });
    expect(uploadRefusal(bare)).toMatchObject({ code: 415 });
    for (const type of ["multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary"])
      expect(uploadRefusal(await send(completeForm, { "content-type": type }, path))).toMatchObject({ code: 400 });
  });

  test("refuses other methods", async () => {
    for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
      const reply = await w.raw(method, path);
      expect([reply.status, reply.headers.get("allow")]).toEqual([405, "POST"]);
    }
  });

  test("checks the token, its permission and the rate limit before reading the form", async () => {
    const withoutToken = await plainRequest(w.url, { method: "POST", path, headers: { "content-type": FORM_TYPE } });
    expect(uploadRefusal(withoutToken)).toMatchObject({ code: 401, token: "UNAUTHENTICATED" });
    const { token } = await w.admin.issueToken({ account: "acme", name: "reader", permissions: ["user:read"] });
    const head =
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n` +
      `Content-Type: ${FORM_TYPE}\r\nContent-Length: 1000\r\n\r\n`;
    // The response comes though the body is never sent.
    expect(await plainBytes(w.url, head)).toMatch(/^HTTP\/1.1 403 [\s\S]*"status":"FORBIDDEN"/);
    const left = async () => Number((await w.raw("GET", "/v2/roles")).headers.get("x-ratelimit-remaining"));
    const before = await left();
    await send("no form", {}, path);
    expect(before - (await left())).toBe(2);
  });
});

test("POST /users and every other endpoint refuses a form with 415", async () => {
  expect(uploadRefusal(await send(completeForm, {}, "/v2/users"))).toMatchObject({
    code: 415,
    token: "UNSUPPORTED_MEDIA_TYPE",
  });
});

test("a refused form keeps the connection usable", async () => {
  for (const body of [formOf([field("a")]), formOf([good, good]), Buffer.from("hello")]) {
    const reply = await w.raw("POST", PATH, { body: new Uint8Array(body), headers: { "content-type": FORM_TYPE } });
    expect(reply.headers.get("connection")).toBe("keep-alive");
    await reply.text();
  }
});

test("a response before the file has arrived keeps the connection usable", async () => {
  const body = formOf([filePart(Buffer.alloc(8_000_000, "x"), { part: "image", type: "text/plain" })]);
  const reply = await w.raw("POST", "/v2/images/upload", {
    body: new Uint8Array(body),
    headers: { "content-type": FORM_TYPE },
  });
  expect([reply.status, reply.headers.get("connection")]).toEqual([400, "keep-alive"]);
  expect(await reply.json()).toMatchObject({ status: "NOT_AN_IMAGE" });
});

/** A request whose body is sent in steps. */
const started = (headers: string) => {
  const { hostname, port } = new URL(w.url);
  const socket = connect(Number(port), hostname);
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
  socket.on("error", () => undefined);
  const ended = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.write(
    `POST ${PATH} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${w.token}\r\nContent-Type: ${FORM_TYPE}\r\n${headers}\r\n`,
  );
  return {
    socket,
    ended,
    text: () => text,
    until: async (holds: () => boolean | Promise<boolean>) => {
      for (let count = 0; count < 200 && !(await holds()); count += 1) await setTimeout(25);
    },
  };
};
const chunk = (bytes: Buffer) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
const opening = (part: FormPart) => formOf([part], "").subarray(0, -2);

describe("a file that is too large", () => {
  test("POST /files/upload 413 PAYLOAD_TOO_LARGE: is refused by its Content-Length, before it is sent", async () => {
    const call = started(`Content-Length: ${LIMITS.file_bytes + 100_000}\r\n`);
    await call.until(() => call.text().endsWith("}"));
    expect(call.text()).toMatch(/^HTTP\/1.1 413 [\s\S]*PAYLOAD_TOO_LARGE[\s\S]*at most 26214400 bytes/);
    call.socket.destroy();
    await call.ended;
  });

  test("POST /images/upload 413 PAYLOAD_TOO_LARGE: is refused while it is sent, once it exceeds the limit", async () => {
    const body = formOf([filePart(Buffer.alloc(LIMITS.image_bytes + 1), { part: "image", type: "image/png" })]);
    expect(uploadRefusal(await send(body, {}, "/v2/images/upload"))).toMatchObject({
      code: 413,
      token: "PAYLOAD_TOO_LARGE",
    });
  });

  test("without a Content-Length is refused though it never ends", async () => {
    const call = started("Transfer-Encoding: chunked\r\n");
    call.socket.write(chunk(opening(good)));
    const megabyte = chunk(Buffer.alloc(1_048_576, "x"));
    for (let count = 0; count < 26; count += 1) call.socket.write(megabyte);
    await call.until(() => call.text().endsWith("}"));
    expect(call.text()).toMatch(/^HTTP\/1.1 413 [\s\S]*PAYLOAD_TOO_LARGE/);
    // An endless upload is cut off eventually.
    const flood = setInterval(() => call.socket.writable && call.socket.write(chunk(Buffer.alloc(1_000))), 20);
    await call.ended;
    clearInterval(flood);
  });
});

describe("an incomplete upload", () => {
  const arriving = async () => (await objectsIn(w.objectsFolder)).length > 0;

  test("is discarded when the client disconnects", async () => {
    const call = started("Content-Length: 5000000\r\n");
    call.socket.write(opening(filePart("x".repeat(500_000))));
    await call.until(arriving);
    expect(await arriving()).toBe(true);
    call.socket.destroy();
    await call.until(async () => !(await arriving()));
    expect(await arriving()).toBe(false);
  });

  test("is answered with 408 and discarded at the time limit, however slowly it arrives", async () => {
    const call = started("Content-Length: 5000000\r\n");
    call.socket.write(opening(good));
    const trickle = setInterval(() => call.socket.writable && call.socket.write("x"), 50);
    await call.ended;
    clearInterval(trickle);
    expect(call.text()).toMatch(/^HTTP\/1.1 408 [\s\S]*REQUEST_TIMEOUT/);
    await call.until(async () => !(await arriving()));
    expect(await arriving()).toBe(false);
  });
});
