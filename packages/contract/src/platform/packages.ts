import Type, { type Static } from "typebox";
import { Time } from "../api/values.ts";
import { sessionsOf } from "../kernel/access.ts";
import { endpoint } from "../kernel/endpoint.ts";
import { PERMISSIONS } from "../kernel/permissions.ts";
import { problem } from "../kernel/problem.ts";
import { ACCOUNT_NOT_FOUND } from "../api/accounts.ts";

/** Maximum size of a published package. @units bytes @assumed twice the size that other app hosts accept */
export const PACKAGE_BYTES_MAX = 10 * 1024 * 1024;
/** Maximum number of entries of a package's archive, folders included. @assumed */
export const PACKAGE_ENTRIES_MAX = 2_000;
/** Maximum size of a package's files together, once unpacked. @units bytes @assumed */
export const UNPACKED_BYTES_MAX = 50 * 1024 * 1024;
/** Maximum length of the name of a published app: it is part of a host name. @units characters */
export const APP_NAME_CHARACTERS_MAX = 40;

/** Name of a published app. Two hyphens in a row separate it from the account's name in host names, so it contains no two hyphens in a row. */
export const PublishedAppName = Type.String({
  pattern: "^[a-z0-9]+(-[a-z0-9]+)*$",
  minLength: 1,
  maxLength: APP_NAME_CHARACTERS_MAX,
  description: "Lower-case letters and digits, with single hyphens between them.",
});
/** @shape as in package.json; versions that the platform counts are whole numbers: "1", "2" */
export const AppVersionName = Type.String({ pattern: "^[0-9A-Za-z][0-9A-Za-z.+-]{0,63}$" });

const AccountName = Type.String({ minLength: 1, maxLength: 63 });

export const PACKAGE_REFUSED = problem({
  code: 422,
  status: "PACKAGE_REFUSED",
  message: "The package can't be published.",
  remedy: "Correct what the message says, pack the app again with 'npx parley pack', then publish it.",
});
export const PACKAGE_TOO_LARGE = problem({
  code: 413,
  status: "PACKAGE_TOO_LARGE",
  message: "The package is too large.",
  remedy: "Remove files that the app does not need.",
});
export const VERSION_EXISTS = problem({
  code: 409,
  status: "VERSION_EXISTS",
  message: "This version of the app is published with other contents. A published version never changes.",
  remedy: "Raise the version in package.json, then publish again.",
});
export const APP_NOT_FOUND = problem({
  code: 404,
  status: "APP_NOT_FOUND",
  message: "app not found",
  remedy: "The catalogue of the account lists the apps that can be installed on it.",
});
export const APP_VERSION_NOT_FOUND = problem({
  code: 404,
  status: "APP_VERSION_NOT_FOUND",
  message: "The app has no such version.",
});

/** Rights and events of a version of an app, derived from its files when it is published. */
export const AppDeclaration = Type.Object(
  {
    /** Name for people. */
    title: Type.String(),
    description: Type.String(),
    /** Permissions of the account's API that the app's key needs, in the order of the contract. */
    permissions: Type.Array(Type.Enum([...PERMISSIONS])),
    /** Requests whose permission can't be derived. */
    undecided: Type.Array(Type.Object({ place: Type.String(), reason: Type.String() })),
    hosts: Type.Array(Type.String(), {
      description: "Hosts that its code can call, as the app writes them: a parameter stays a placeholder.",
    }),
    endpoints: Type.Array(Type.String(), { description: "Endpoints of the API that its request templates reach." }),
    events: Type.Array(Type.String(), { description: "Events that it handles, such as onMessageCreate." }),
    /** Locations where the app has a page, such as conversation_user_info. */
    places: Type.Array(Type.String()),
    /** Whether it handles schedules that it creates. */
    handlesSchedules: Type.Boolean(),
    /** Whether it handles requests to an address of its own. */
    handlesExternalEvents: Type.Boolean(),
  },
  { title: "AppDeclaration" },
);
export type AppDeclaration = Static<typeof AppDeclaration>;

/** The answer to a publication. */
export const PublishedVersion = Type.Object(
  {
    name: Type.String(),
    version: Type.String(),
    digest: Type.String({ description: "SHA-256 of the package, in hex." }),
    permissions: AppDeclaration.properties.permissions,
    hosts: AppDeclaration.properties.hosts,
    events: AppDeclaration.properties.events,
  },
  { title: "PublishedVersion" },
);
export type PublishedVersion = Static<typeof PublishedVersion>;

const CatalogueVersion = Type.Object({
  version: Type.String(),
  digest: Type.String(),
  published_time: Time,
  permissions: AppDeclaration.properties.permissions,
  undecided: AppDeclaration.properties.undecided,
});

/** An app that can be installed. Versions are listed newest first. */
export const CatalogueApp = Type.Object(
  {
    name: Type.String(),
    title: Type.String(),
    description: Type.String(),
    icon: Type.Optional(Type.String({ description: "Data URL of the icon of the newest version." })),
    /** Absent if its name does not fit into a host name beside the account's, and in the operator's list. */
    page: Type.Optional(Type.String({ description: "Address of its installation page on the account." })),
    versions: Type.Array(CatalogueVersion),
    declaration: AppDeclaration,
  },
  { title: "CatalogueApp" },
);
export type CatalogueApp = Static<typeof CatalogueApp>;

/** One version in the catalogue of an account, with what it does. */
export const CatalogueVersionDetails = Type.Object(
  { ...CatalogueVersion.properties, declaration: AppDeclaration },
  { title: "CatalogueVersionDetails" },
);
export type CatalogueVersionDetails = Static<typeof CatalogueVersionDetails>;

/** An app as the operator sees it. @shape accounts: those whose catalogue has it; null: all */
export const PublishedApp = Type.Object(
  {
    ...CatalogueApp.properties,
    accounts: Type.Union([Type.Array(Type.String()), Type.Null()]),
    installations: Type.Integer(),
  },
  { title: "PublishedApp" },
);
export type PublishedApp = Static<typeof PublishedApp>;

/** Section of the specification that the platform stands beside. */
export const SPEC_OF_PLATFORM = "What the service does";

/** Packages of apps, for the operator; and the catalogue, for the admins of an account. */
export const appPackages = {
  publishPackage: endpoint({
    route: "POST /platform/packages",
    summary: "Publish a version of an app",
    spec: SPEC_OF_PLATFORM,
    access: { adminKey: true },
    query: Type.Object({
      name: Type.Optional(Type.String({ description: "Absent: the name in the package's package.json." })),
      version: Type.Optional(Type.String({ description: "Absent: that in package.json, else the next number." })),
      accounts: Type.Optional(
        Type.String({
          description: "Accounts whose catalogue has the app, separated by commas. Absent: as before, at first all.",
        }),
      ),
    }),
    bodyType: "application/zip",
    reply: { code: 201, body: PublishedVersion },
    problems: [PACKAGE_REFUSED, PACKAGE_TOO_LARGE, VERSION_EXISTS],
  }),
  listPublishedApps: endpoint({
    route: "GET /platform/apps",
    summary: "List the published apps with their versions",
    spec: SPEC_OF_PLATFORM,
    access: { adminKey: true },
    reply: { code: 200, body: Type.Object({ apps: Type.Array(PublishedApp) }) },
  }),
  changePublishedApp: endpoint({
    route: "PUT /platform/apps/{name}",
    summary: "Set the accounts whose catalogue has an app",
    spec: SPEC_OF_PLATFORM,
    access: { adminKey: true },
    body: Type.Object({ accounts: Type.Union([Type.Array(AccountName, { maxItems: 10_000 }), Type.Null()]) }),
    reply: { code: 200, body: PublishedApp },
    problems: [APP_NOT_FOUND],
  }),
  listCatalogue: endpoint({
    route: "GET /platform/accounts/{account}/catalogue",
    summary: "List the apps that can be installed on an account",
    spec: SPEC_OF_PLATFORM,
    access: { adminKey: true, session: sessionsOf("ADMIN", "account") },
    reply: { code: 200, body: Type.Object({ apps: Type.Array(CatalogueApp) }) },
    problems: [ACCOUNT_NOT_FOUND],
  }),
  getCatalogueVersion: endpoint({
    route: "GET /platform/accounts/{account}/catalogue/{name}/versions/{version}",
    summary: "Get a version of an app that can be installed on an account, with what it does",
    spec: SPEC_OF_PLATFORM,
    access: { adminKey: true, session: sessionsOf("ADMIN", "account") },
    reply: { code: 200, body: CatalogueVersionDetails },
    problems: [APP_NOT_FOUND, APP_VERSION_NOT_FOUND],
  }),
};
