import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { createWidgetApi } from "../../src/loader/widget-api.ts";
import type { MessengerUser, MessengerWidget } from "../../types/index.d.ts";

/** The types of the package for sites. The compiler checks the calls below; the functions are not run. */

const calls = (widget: MessengerWidget) => [
  () => widget.init({ token: "A", externalId: 17, restoreId: null, config: { headerProperty: { direction: "ltr" } } }),
  () => widget.open({ name: "Orders", replyText: "Hello" }),
  () => widget.on("unreadCount:notify", ({ count }: { readonly count: number }) => count),
  () => widget.off("widget:opened"),
  async (): Promise<MessengerUser> => (await widget.user.get()).data,
  (): undefined => widget.user.isExists(({ data }: { readonly data: boolean }) => void data),
  async (): Promise<MessengerUser> => (await widget.user.setProperties({ firstName: "Ada", plan: "Gold" })).data,
  (): undefined => widget.user.setEmail("ada@site.example", ({ success }) => void success),
  async (): Promise<null> => (await widget.conversation.setConversationProperties({ cf_order: 1 })).data,
  // @ts-expect-error There is no event of this name.
  () => widget.on("widget:lodaed", () => undefined),
  // @ts-expect-error A direction is ltr or rtl.
  () => widget.setConfig({ headerProperty: { direction: "left" } }),
  // @ts-expect-error The script may not have run.
  () => window.fcWidget.open(),
];

/** Names of the methods, those of members included. */
const methodsOf = (value: object, prefix = ""): string[] =>
  Object.entries(value).flatMap(([name, member]: [string, unknown]) =>
    typeof member === "object" && member !== null ? methodsOf(member, `${name}.`) : [`${prefix}${name}`],
  );

const METHODS =
  "init destroy isOpen isInitialized isLoaded on off open close show hide setTags setFaqTags setExternalId setConfig track trackPage authenticate setJWTAuthToken setConsent";
const USER_METHODS =
  "get isExists update setProperties setFirstName setLastName setEmail setPhone setPhoneCountryCode setMeta setLocale clear create clone getUUID generateUUID";

test("the messenger has the methods that sites of the field call and one for consent, and the types accept their calls", () => {
  const expected = [
    ...METHODS.split(" "),
    ...USER_METHODS.split(" ").map((name) => `user.${name}`),
    ...["conversation.setConversationProperties", "conversation.setBotVariables"],
  ];
  expect(methodsOf(createWidgetApi({ startsItself: false }).widget).sort()).toEqual(expected.sort());
  expect(typeof calls).toBe("function");
});

test("docs/integrators/messenger.md names every method, event and option of the types", () => {
  const read = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), "utf8");
  const page = read("docs/integrators/messenger.md");
  const types = read("packages/messenger/types/index.d.ts");
  const events = [...types.matchAll(/^ {2}"(\w+:\w+)":/gm)].map(([, name]) => name!);
  const options = /interface MessengerOptions \{([^}]*)\}/.exec(types)?.[1] ?? "";
  const names = [
    ...METHODS.split(" "),
    ...events,
    ...[...options.matchAll(/^ {2}(\w+)\?:/gm)].map(([, name]) => name!),
  ];
  expect([events.length, names.length > 60]).toEqual([25, true]);
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(page))).toEqual([]);
});
