import Type, { type Static } from "typebox";

/** A location of the product at which the app is shown. */
export const AppPlace = Type.Object({ url: Type.Optional(Type.String()), icon: Type.Optional(Type.String()) });
export type AppPlace = Static<typeof AppPlace>;

const EventHandler = Type.Object({ handler: Type.String({ minLength: 1 }) });

/** @units timeout: seconds */
const FunctionSettings = Type.Object({ timeout: Type.Optional(Type.Number()) });

/** The app's part in one module of the product; `common` holds everything that belongs to no other module. */
export const AppModule = Type.Object(
  {
    location: Type.Optional(Type.Record(Type.String(), AppPlace)),
    events: Type.Optional(Type.Record(Type.String(), EventHandler)),
    requests: Type.Optional(Type.Record(Type.String(), Type.Object({}))),
    functions: Type.Optional(Type.Record(Type.String(), FunctionSettings)),
    /** Functions of server/ that `client.job.invoke` can start. */
    jobs: Type.Optional(Type.Record(Type.String(), Type.Object({}))),
  },
  { title: "AppModule" },
);
export type AppModule = Static<typeof AppModule>;

/** `manifest.json` of platform-version 3.0. Manifests of other versions are translated to it. */
export const Manifest = Type.Object(
  {
    "platform-version": Type.String(),
    modules: Type.Record(Type.String(), AppModule),
    dependencies: Type.Optional(Type.Record(Type.String(), Type.String())),
    engines: Type.Optional(Type.Record(Type.String(), Type.String())),
  },
  { title: "Manifest" },
);
export type Manifest = Static<typeof Manifest>;

/** `manifest.json` of platform-versions 2.0 to 2.3, organised by product where 3.0 is organised by module. */
export const ProductManifest = Type.Object(
  {
    "platform-version": Type.String(),
    product: Type.Record(Type.String(), AppModule),
    /** Up to 2.2: hosts that the HTTP verbs of the request method may call. */
    "whitelisted-domains": Type.Optional(Type.Array(Type.String())),
    dependencies: Type.Optional(Type.Record(Type.String(), Type.String())),
    engines: Type.Optional(Type.Record(Type.String(), Type.String())),
  },
  { title: "ProductManifest" },
);
export type ProductManifest = Static<typeof ProductManifest>;

/** Supported platform-versions, the oldest first. */
export const PLATFORM_VERSIONS = ["2.0", "2.1", "2.2", "2.3", "3.0", "3.1"] as const;
export type PlatformVersion = (typeof PLATFORM_VERSIONS)[number];

/** Events of the app's installation; they belong to the module `common`. */
export const SET_UP_EVENTS = ["onAppInstall", "afterAppUpdate", "onAppUninstall", "onSettingsUpdate"] as const;
export type SetUpEvent = (typeof SET_UP_EVENTS)[number];

/** Locations and events by module. A module that isn't listed belongs to another product; it is accepted and has no effect. */
export const MODULES: Readonly<
  Record<string, { readonly places: readonly string[]; readonly events: readonly string[] }>
> = {
  common: {
    places: ["full_page_app", "left_nav_chat", "left_nav_cti", "cti_global_sidebar"],
    events: [...SET_UP_EVENTS, "onExternalEvent", "onScheduledEvent"],
  },
  chat_conversation: {
    places: ["conversation_message_editor", "conversation_user_info", "conversation_background"],
    events: ["onConversationCreate", "onConversationUpdate", "onMessageCreate", "onAgentActivityCreate"],
  },
  chat_user: { places: [], events: ["onUserCreate", "onUserUpdate"] },
};

/** The product of 2.x manifests whose locations and events are those of MODULES. */
export const CHAT_PRODUCT = "freshchat";
/** Locations that exist in 2.x only, with the module that they belong to. */
export const PLACES_OF_2_X: Readonly<Record<string, string>> = { messenger_home: "chat_conversation" };

/** Names under which `current_host.endpoint_urls` lists the account's address. @assumed The short name beside the usual name. */
export const PRODUCTS = ["freshchat", "chat"] as const;

/** Modules of other products: the prefix of the module's name, and the product. */
const MODULE_PRODUCTS: readonly (readonly [begin: string, product: string])[] = [
  ["support_", "freshdesk"],
  ["service_", "freshservice"],
  ["caller_", "freshcaller"],
  ["call", "freshcaller"],
  ["deal", "freshworks_crm"],
  ["contact", "freshworks_crm"],
  ["sales_account", "freshworks_crm"],
  ["lead", "freshworks_crm"],
  ["cpq_document", "freshworks_crm"],
];

/** Other products of a manifest: named as a product of 2.x, or by one of their modules. */
export const otherProductsOf = ({ modules }: Pick<Manifest, "modules">): readonly string[] => {
  const others = Object.keys(modules).filter((name) => !Object.hasOwn(MODULES, name) && name !== CHAT_PRODUCT);
  const products = others.map((name) => MODULE_PRODUCTS.find(([begin]) => name.startsWith(begin))?.[1] ?? name);
  return [...new Set(products)];
};
