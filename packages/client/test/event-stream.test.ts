import { expect, test } from "@jest/globals";
import { framesOf } from "../src/event-stream.ts";

async function* chunked(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const CASES: [string, string, object[]][] = [
  ["an event", "id: 1\nevent: a\ndata: x\n\n", [{ id: "1", event: "a", data: "x" }]],
  ["data of several lines", "data: x\ndata\ndata:  y\n\n", [{ data: "x\n\n y" }]],
  ["a place without data", "id: 1\n\nid\n\n", [{ id: "1" }, { id: "" }]],
  ["comments and unknown fields", ": still here\n\n:x\nfoo: bar\ndata: 1\n\n", [{}, { data: "1" }]],
  ["a time to wait, and an invalid time", "retry: 250\n\nretry: soon\n\n", [{ retry: 250 }, {}]],
  ["other line ends", "data: ü\r\n\r\ndata: 2\r\rdata: 3\n\r\n", [{ data: "ü" }, { data: "2" }, { data: "3" }]],
  ["what the end cuts off", "data: 1\n\ndata: 2\n", [{ data: "1" }]],
  ["nothing", "", []],
];
test.each(CASES)("%s is parsed, however it is divided into chunks", async (_, text, frames) => {
  const bytes = new TextEncoder().encode(text);
  for (const size of [1, 2, 3, 1_000]) {
    const read: object[] = [];
    for await (const frame of framesOf(chunked(bytes, size))) read.push(frame);
    expect(read).toEqual(frames);
  }
});
