import "../browser-globals.ts";
import { describe, expect, test } from "@jest/globals";
import type { MessagePart } from "@parley/contract";
import {
  kindOf,
  partProblem,
  messagePartsOf,
  rowNames,
  partRowsOf,
  uploadedPart,
  welcomeProblem,
  withNewPart,
  withPart,
} from "../../src/administration/topics/welcome-parts.ts";

const text = (content: string): MessagePart => ({ text: { content } });
const image: MessagePart = { image: { url: "https://acme.example/a.png" } };
const button: MessagePart = { url_button: { url: "https://acme.example", label: "Shop", target: "_blank" } };
const collection: MessagePart = { collection: { sub_parts: [button] } };

test("a message that is not changed keeps its parts and their order", () => {
  const parts = [image, text("a"), collection, button, text("b")];
  expect(messagePartsOf(partRowsOf(parts))).toEqual(parts);
});

test("a message without a text begins with an empty text, which is not saved", () => {
  expect(partRowsOf().map(({ part }) => part)).toEqual([text("")]);
  expect(partRowsOf([image]).map(({ part }) => part)).toEqual([text(""), image]);
  expect(messagePartsOf(partRowsOf([image]))).toEqual([image]);
});

test("rows are named by their kind and a number, the first text as the message, and keep their keys", () => {
  const rows = withPart(withNewPart(partRowsOf([image, text("a"), collection]), "image"), text("b"));
  expect(rowNames(rows)).toEqual(["Picture 1", "Welcome message", "Other part 1", "Picture 2", "Text 2"]);
  expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
});

test("a file without an address is not a part that the form changes", () => {
  expect(kindOf({ file: { file_hash: "x" } })).toBe("other");
  expect(kindOf({ file: { url: "https://acme.example/a.pdf" } })).toBe("file");
});

test("an uploaded video is played, and another file has its name, size and type", () => {
  const file = {
    file_name: "a",
    file_size: 3,
    file_content_type: "video/mp4",
    file_hash: "h",
    url: "https://x.example/a",
  };
  expect(uploadedPart(file)).toEqual({ video: { url: "https://x.example/a", content_type: "video/mp4" } });
  expect(uploadedPart({ ...file, file_content_type: "text/plain" })).toEqual({
    file: { name: "a", url: "https://x.example/a", file_size_in_bytes: 3, content_type: "text/plain" },
  });
});

describe("a part is refused", () => {
  test.each<[string, MessagePart, string]>([
    ["with a text that is too long", text("x".repeat(65_537)), "too long"],
    ["with a picture from a script", { image: { url: "javascript:alert(1)" } }, "https://"],
    ["with a picture that is a drawing", { image: { url: "data:image/svg+xml,<svg/>" } }, "https://"],
    ["with a video without an address", { video: { url: "" } }, "https://"],
    ["with a file in its address", { file: { url: "data:text/plain,a" } }, "https://"],
    ["with a button without a label", { url_button: { label: " ", url: "https://acme.example" } }, "label"],
    [
      "with a button with a long label",
      { url_button: { label: "x".repeat(1_025), url: "https://a.example" } },
      "1,024",
    ],
    ["with a button that runs a script", { url_button: { label: "a", url: "javascript:alert(1)" } }, "mailto:"],
    ["with a button without an address", { url_button: { label: "a", url: "shop" } }, "mailto:"],
    ["with a long address", { image: { url: `https://acme.example/${"x".repeat(4_096)}` } }, "too long"],
  ])("%s", (_name, part, problem) => {
    expect(partProblem({ key: 0, part, saved: undefined })).toContain(problem);
  });
  test.each<[string, MessagePart]>([
    ["a picture in its address", { image: { url: "data:image/png;base64,AA==" } }],
    ["a button of an app", { url_button: { label: "a", url: "tel:+123" } }],
    ["a text", text("a")],
    ["a collection", collection],
  ])("not: %s", (_name, part) => {
    expect(partProblem({ key: 0, part, saved: undefined })).toBeUndefined();
  });
  test("not if it is as it was", () => {
    const part: MessagePart = { url_button: { label: "a", url: "shop" } };
    expect(partProblem({ key: 0, part, saved: part })).toBeUndefined();
  });
});

test("a message is refused while files are uploaded, and with too many parts", () => {
  expect(welcomeProblem(partRowsOf([image]), true)).toContain("uploaded");
  expect(welcomeProblem(partRowsOf(Array.from({ length: 51 }, () => image)), false)).toContain("50 parts");
  expect(welcomeProblem(partRowsOf(Array.from({ length: 50 }, () => image)), false)).toBeUndefined();
});
