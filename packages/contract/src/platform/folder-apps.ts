import Type, { type Static } from "typebox";
import { ACCOUNT_NOT_FOUND } from "../api/accounts.ts";
import { Time } from "../api/values.ts";
import { sessionsOf } from "../kernel/access.ts";
import { endpoint } from "../kernel/endpoint.ts";
import { AppDeclaration, SPEC_OF_PLATFORM } from "./packages.ts";

/** An app that the platform reads from a developer's folder and serves to one account. It has no versions to upgrade to. */
export const FolderApp = Type.Object(
  {
    name: Type.String(),
    title: Type.String(),
    description: Type.String(),
    version: Type.Optional(
      Type.String({ description: "Version in package.json; absent if package.json has no version." }),
    ),
    icon: Type.Optional(Type.String({ description: "Data URL." })),
    page: Type.String({ description: "Address of its installation page." }),
    events_url: Type.String({ description: "Address at which it receives events: that of its subscription." }),
    declaration: AppDeclaration,
    errors: Type.Optional(
      Type.Array(Type.String(), {
        description:
          "Errors of the newest files, while the last version without errors goes on; absent without errors.",
      }),
    ),
    /** Absent while it is not installed. */
    installation: Type.Optional(Type.Object({ installed_time: Time, changed_time: Time })),
  },
  { title: "FolderApp" },
);
export type FolderApp = Static<typeof FolderApp>;

/** Apps that are read from folders. */
export const folderApps = {
  listFolderApps: endpoint({
    route: "GET /platform/accounts/{account}/folder-apps",
    summary: "List the apps that the platform reads from folders for an account, whether they are installed or not",
    spec: SPEC_OF_PLATFORM,
    access: { adminKey: true, session: sessionsOf("ADMIN", "account") },
    reply: { code: 200, body: Type.Object({ apps: Type.Array(FolderApp) }) },
    problems: [ACCOUNT_NOT_FOUND],
  }),
};
