import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { createFrameParser } from "../../../src/panel/model/live/event-stream.ts";

const FRAMES = [
  { event: "stream_start", data: '{"keep_alive_ms":24000}' },
  { id: "12-a", event: "message", data: '{"text":"a: b\\n"}' },
  { event: "typing", data: "one\ntwo" },
];
const textOf = (end: string): string =>
  [
    "event: stream_start",
    'data: {"keep_alive_ms":24000}',
    "",
    ": keep-alive",
    "",
    "id: 12-a",
    "event:message",
    'data: {"text":"a: b\\n"}',
    "",
    "event: typing",
    "data: one",
    "data: two",
    "",
    "data: incomplete",
  ].join(end);

test("a stream that arrives in any pieces has the same events, whatever ends its lines; an incomplete event is not one", () => {
  fc.assert(
    fc.property(fc.constantFrom("\n", "\r\n", "\r"), fc.array(fc.nat(220), { maxLength: 12 }), (end, cuts) => {
      const text = textOf(end);
      const parse = createFrameParser();
      const places = [0, ...cuts.filter((cut) => cut < text.length).sort((one, other) => one - other), text.length];
      const frames = places.slice(1).flatMap((place, index) => parse(text.slice(places[index], place)));
      expect(frames).toEqual(FRAMES);
    }),
  );
});
