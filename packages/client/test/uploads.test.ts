import { expect, test } from "@jest/globals";
import { isProblemError } from "@parley/client";
import { serviceHarness } from "../../service/test/service-harness.ts";
import { fileFixture } from "../../../test/support/file-fixture.ts";

const w = fileFixture(serviceHarness);

const bytes = new TextEncoder().encode("What it says.\n");
async function* stream() {
  yield await Promise.resolve(bytes.subarray(0, 5));
  yield bytes.subarray(5);
}

test.each([
  ["bytes", () => bytes],
  ["a Blob", () => new Blob([bytes])],
  ["a stream", () => stream()],
])("a file is sent from %s and downloaded unchanged", async (_, content) => {
  const upload = { name: "note – ü.txt", content_type: "text/plain", content: content() };
  const file = await w.client.files.uploadFile({ upload });
  expect(file).toMatchObject({ file_name: upload.name, file_size: bytes.length });
  expect(new Uint8Array(await (await fetch(file.url)).arrayBuffer())).toEqual(bytes);
});

test("content that fails while it is read fails the call, and nothing is stored", async () => {
  async function* failing() {
    yield await Promise.resolve(bytes);
    throw new Error("the disk is gone");
  }
  const upload = { name: "a", content_type: "text/plain", content: failing() };
  await expect(w.client.files.uploadFile({ upload })).rejects.toThrow("the disk is gone");
});

test("a file that is not an image is refused with its token", async () => {
  const upload = { name: "a.png", content_type: "image/png", content: bytes };
  const error: unknown = await w.client.images.uploadImage({ upload }).catch((reason: unknown) => reason);
  expect(isProblemError(error, "NOT_AN_IMAGE")).toBe(true);
});
