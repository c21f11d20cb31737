import type { MessengerContacts, MessengerWidget } from "../../types/index.d.ts";
import { createEvents } from "./events.ts";
import { createMessenger, type Messenger } from "./messenger.ts";
import { complain, deliver, failure, OK, success, type Reply } from "./replies.ts";
import type { ScriptSource } from "./script-source.ts";
import { objectOf, readOptions, readProperties, readTags, textOf, type SiteObject } from "./site-options.ts";

const ignore = (): void => undefined;

/** Text of the properties of a page that sets none. */
const NO_PROPERTIES = '{"profile":{}}';

/** Fields of a contact as pages of the second snippet form spell them, without case and spaces. */
const CONTACT_FIELDS: Readonly<Record<string, string>> = {
  firstname: "firstName",
  lastname: "lastName",
  email: "email",
  emails: "email",
  mobile: "phone",
  mobilenumber: "phone",
  phone: "phone",
};
const contactOf = (contact: unknown): SiteObject =>
  Object.fromEntries(
    Object.entries(objectOf(contact)).map(([name, value]) => [
      CONTACT_FIELDS[name.toLowerCase().replaceAll(/[^a-z]/g, "")] ?? name,
      value,
    ]),
  );

/** Methods that the types declare in the two forms of a call, as they are here: values of any kind, and the callback as the last one. */
type Loose<T> = { readonly [K in keyof T]: (...values: unknown[]) => unknown };

/** Creates `window.fcWidget` and `window.fwcrm`. Calls before `init` wait for it, in order. @shape source: of the latest script */
export const createWidgetApi = (firstSource: ScriptSource) => {
  let source = firstSource;
  let messenger: Messenger | undefined;
  let waiting: ((started: Messenger) => void)[] = [];
  /** The parts of a phone number, which pages may set one by one. */
  let phone: { readonly phone?: unknown; readonly phoneCountryCode?: unknown } = {};
  const events = createEvents();

  const run = (work: (started: Messenger) => void): void => {
    if (messenger) work(messenger);
    else waiting.push(work);
  };
  const ask = (work: (started: Messenger) => Promise<Reply>, callback: unknown) =>
    deliver(new Promise((resolve) => run((started) => void work(started).then(resolve))), callback);

  /** @shape isCreation: creates the user also without a property. Otherwise, values that are all absent create nobody: pages set them on every visit */
  const setProperties = (input: unknown, callback: unknown, isCreation?: unknown) => {
    const values = objectOf(input);
    const token = textOf(values["jwtAuthToken"]);
    const { phone: number, phoneCountryCode, phoneCountry } = values;
    const code = phoneCountryCode ?? phoneCountry;
    if (number !== undefined || code !== undefined)
      phone = { phone: number ?? phone.phone, phoneCountryCode: code ?? phone.phoneCountryCode };
    const properties = readProperties({ ...values, ...(number !== undefined || code !== undefined ? phone : {}) });
    return ask(async (started) => {
      const reply = token === undefined ? OK : await started.call("authenticate", token);
      const isSet = isCreation === true || JSON.stringify(properties) !== NO_PROPERTIES;
      return reply.success && isSet ? started.setProfile(properties) : reply;
    }, callback);
  };
  /** A method that sets one property, given as its value or as an object with it. */
  const setter = (name: string) => (value: unknown, callback?: unknown) =>
    setProperties(typeof value === "object" ? value : { [name]: value }, callback);

  /** @shape read: what a method reports of the panel's reply */
  const askUser = (callback: unknown, read: (reply: Reply) => Reply = (reply) => reply) =>
    ask(async (started) => read(await started.call("getUser", null)), callback);
  const getUuid = (callback?: unknown) => ask((started) => started.call("getUuid", null), callback);
  const authenticate = (token: unknown, callback: unknown) =>
    ask((started) => started.call("authenticate", textOf(token) ?? ""), callback);

  const user: Loose<MessengerWidget["user"]> = {
    get: (callback) => askUser(callback),
    clone: (...values) => askUser(values.find((value) => typeof value === "function")),
    isExists: (callback) =>
      askUser(callback, (reply) => (reply.success || reply.status === 404 ? success(reply.success) : reply)),
    create: (values, callback) =>
      typeof values === "function" ? setProperties({}, values, true) : setProperties(values, callback, true),
    update: setProperties,
    setProperties,
    setFirstName: setter("firstName"),
    setLastName: setter("lastName"),
    setEmail: setter("email"),
    setPhone: setter("phone"),
    setPhoneCountryCode: setter("phoneCountryCode"),
    setMeta: (meta, callback) => setProperties({ meta }, callback),
    setLocale: (value, callback) => {
      const locale = textOf(objectOf(value)["locale"] ?? value);
      return ask(async (started) => (locale === undefined ? OK : started.change({ locale })), callback);
    },
    clear: (callback) => {
      phone = {};
      return ask((started) => started.clearUser(), callback);
    },
    getUUID: getUuid,
    generateUUID: getUuid,
  };

  const init = (options: unknown): void => {
    if (messenger) return messenger.attach();
    const read = readOptions(options ?? window.fcWidgetMessengerConfig, source);
    if (!read) return;
    messenger = createMessenger(read, events);
    for (const work of waiting.splice(0)) work(messenger);
  };

  const widget: Loose<Omit<MessengerWidget, "user" | "conversation">> = {
    init,
    destroy() {
      if (!messenger) return;
      messenger.destroy();
      messenger = undefined;
      waiting = [];
      phone = {};
      events.destroy();
    },
    isOpen: () => messenger?.isOpen() === true,
    isInitialized: () => messenger !== undefined,
    isLoaded: () => messenger?.isLoaded() === true,
    on: events.on,
    off: events.off,
    open(value) {
      const { name, channelId, replyText } = objectOf(value);
      run((started) => started.open({ topic: textOf(name) ?? textOf(channelId), replyText: textOf(replyText) }));
    },
    close: () => run((started) => started.close()),
    show: () => run((started) => started.setHidden(false)),
    hide: () => run((started) => started.setHidden(true)),
    setTags(tags) {
      if (messenger) messenger.change({ tags: readTags(tags) });
      else complain("setTags has no effect before init. Pass the option tags to init.");
    },
    setFaqTags: ignore,
    setExternalId(value, callback) {
      const { externalId, restoreId } =
        typeof value === "object" ? readProperties(value) : readProperties({ externalId: value });
      if (externalId !== undefined) return ask((started) => started.identify(externalId, restoreId), callback);
      complain("setExternalId needs the id of a customer.");
      return deliver(Promise.resolve(failure(400, "The externalId is empty.")), callback);
    },
    setConfig(config) {
      if (typeof config !== "object") complain("setConfig needs an object.");
      else run((started) => started.setConfig(objectOf(config)));
    },
    track: ignore,
    trackPage: ignore,
    authenticate,
    setJWTAuthToken: authenticate,
    setConsent: (isGiven) => run((started) => started.setConsent(isGiven === true)),
  };

  const conversation: Loose<MessengerWidget["conversation"]> = {
    setConversationProperties(values, callback) {
      const texts = Object.entries(objectOf(values)).flatMap(([name, value]) => {
        const text = textOf(value);
        return text === undefined ? [] : [[name, text] as const];
      });
      return ask((started) => started.setConversationProperties(Object.fromEntries(texts)), callback);
    },
    setBotVariables: (_values, callback) => deliver(Promise.resolve(OK), callback),
  };

  const set = (contact: unknown): void => {
    const properties = readProperties(contactOf(contact));
    run((started) => void started.mergeProfile(properties));
  };
  const contacts: Loose<MessengerContacts> = {
    on: events.on,
    off: events.off,
    identify(id, contact) {
      const externalId = textOf(id);
      if (externalId !== undefined) run((started) => void started.identify(externalId, undefined));
      set(contact);
    },
    set,
    trackCustomEvent: ignore,
    trackPageView: ignore,
  };

  return {
    widget: { ...widget, user, conversation } as unknown as MessengerWidget,
    contacts: contacts as unknown as MessengerContacts,
    /** The script was inserted again. It takes effect if the messenger is not initialized. */
    restart(latest: ScriptSource): void {
      if (!messenger) source = latest;
    },
  };
};
export type WidgetApi = ReturnType<typeof createWidgetApi>;
