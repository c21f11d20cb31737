import "../../browser-globals.ts";
import { describe, expect, test } from "@jest/globals";
import { PERMISSIONS, PRODUCT_EVENTS, SET_UP_EVENTS, MODULES, type AppDeclaration } from "@parley/contract";

const { declarationChanges, declarationParts } =
  await import("../../../src/administration/apps/declaration-sentences.ts");

/** Rights and events of an app, in plain words. */

const nothing: AppDeclaration = {
  title: "Greeter",
  description: "",
  permissions: [],
  undecided: [],
  hosts: [],
  endpoints: [],
  events: [],
  places: [],
  handlesSchedules: false,
  handlesExternalEvents: false,
};
const sentences = (change: Partial<AppDeclaration>): readonly string[] =>
  declarationParts({ ...nothing, ...change }).flatMap(({ sentences: some }) => some);

test("an app that declares nothing has no sentence, and each part says so", () => {
  expect(sentences({})).toEqual([]);
  expect(declarationParts(nothing).map(({ none }) => none)).toEqual([
    "It has no access to the API of this account.",
    "It receives no events.",
    "It sends no requests to other services.",
    "Agents don’t see it.",
  ]);
});

test("each permission has a sentence of its own", () => {
  const all = sentences({ permissions: [...PERMISSIONS] });
  expect(all).toHaveLength(PERMISSIONS.length);
  for (const sentence of all) expect(sentence).toMatch(/^[A-Z].+\.$/);
});

test("each event has a sentence of its own", () => {
  const events = [...Object.values(PRODUCT_EVENTS).map(({ name }) => name), ...SET_UP_EVENTS];
  const all = sentences({ events });
  expect(all).toHaveLength(events.length);
  expect(all.join()).not.toMatch(/Receives the event on/);
});

test("each location has a sentence", () => {
  const places = Object.values(MODULES).flatMap((module) => module.places);
  expect(sentences({ places }).join()).not.toMatch(/Is shown in the place/);
});

test.each([
  [{ hosts: ["api.example.com"] }, "Sends requests to api.example.com."],
  [{ hosts: ["*.example.com"] }, "Sends requests to every host whose name ends with .example.com."],
  [{ hosts: ["*"] }, "Sends requests to any host."],
  [{ hosts: ["<%= iparam.domain %>"] }, "Sends requests to the host that its parameter domain names."],
  [
    { hosts: ["<%= iparam.shop %>.example.com"] },
    "Sends requests to a host that is made of its parameters: <%= iparam.shop %>.example.com",
  ],
  [{ endpoints: ["POST /v2/conversations"] }, "Calls the address POST /v2/conversations of the API."],
  [{ handlesSchedules: true }, "Runs by itself at times that it chooses."],
  [{ handlesExternalEvents: true }, "Receives requests of other systems at an address of its own."],
  [{ events: ["onSomething"] }, "Receives the event onSomething."],
  [{ events: ["constructor"] }, "Receives the event constructor."],
  [{ places: ["ticket_sidebar"] }, "Is shown in the place ticket_sidebar."],
  [
    { undecided: [{ place: "requests.json: any", reason: "the path is a parameter" }] },
    "Sends a request whose permission is known only when it is sent (requests.json: any: the path is a parameter). Ask the author which permission its key needs.",
  ],
])("%j is told as: %s", (change, sentence) => {
  expect(sentences(change)).toEqual([sentence]);
});

test("what leads to the same sentence is said once", () => {
  expect(sentences({ places: ["left_nav_chat", "left_nav_cti"] })).toHaveLength(1);
});

describe("changes of an upgrade", () => {
  const before: AppDeclaration = { ...nothing, permissions: ["message:create"], hosts: ["api.example.com"] };
  test("are what the later version does in addition, and what it does no more", () => {
    const after: AppDeclaration = { ...before, permissions: ["message:create", "user:delete"], hosts: [] };
    expect(declarationChanges(before, after)).toEqual({
      added: ["Deletes customers with everything that is stored about them."],
      removed: ["Sends requests to api.example.com."],
    });
  });
  test("are empty between equal declarations, also with other texts", () => {
    expect(declarationChanges(before, { ...before, title: "Other", description: "Other" })).toEqual({
      added: [],
      removed: [],
    });
  });
});
