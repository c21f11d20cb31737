import Type, { type Static } from "typebox";
import { Repeat } from "../app/schedules.ts";
import { ShortText, Time } from "../api/values.ts";

const STRICT = { additionalProperties: false } as const;
const App = Type.String({ minLength: 1, maxLength: 255, description: "Name of the app." });

/**
 * An installation of an app. It is imported as paused, in the same version if that is published, else in the latest version. Without a
 * published app of the name, the record and those of its data are skipped.
 */
export const ImportedInstallation = Type.Object(
  {
    type: Type.Literal("installation"),
    app: App,
    version: Type.Optional(ShortText),
    state: Type.Optional(ShortText),
    created_time: Time,
    updated_time: Time,
    parameters: Type.Record(Type.String(), Type.Unknown(), { description: "Parameters that are not secure, by key." }),
    secure_parameters: Type.Array(Type.String(), {
      description:
        "Keys of secure parameters. The values are not exported: enter them again before the app is resumed.",
    }),
  },
  { title: "ImportedInstallation", ...STRICT },
);
export type ImportedInstallation = Static<typeof ImportedInstallation>;

/** A record that an app has stored with `$db`. */
export const ImportedAppRecord = Type.Object(
  {
    type: Type.Literal("app_record"),
    app: App,
    key: Type.String({ maxLength: 10_000 }),
    expires_time: Type.Optional(Time),
    value: Type.Unknown(),
  },
  { title: "ImportedAppRecord", ...STRICT },
);
export type ImportedAppRecord = Static<typeof ImportedAppRecord>;

/** A record of an entity of an app. */
export const ImportedAppEntity = Type.Object(
  {
    type: Type.Literal("app_entity"),
    app: App,
    entity: Type.String({ minLength: 1, maxLength: 255 }),
    number: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
    created_time: Time,
    updated_time: Time,
    value: Type.Record(Type.String(), Type.Unknown()),
  },
  { title: "ImportedAppEntity", ...STRICT },
);
export type ImportedAppEntity = Static<typeof ImportedAppEntity>;

/** A schedule of an app. It fires no earlier than the app is resumed. */
export const ImportedAppSchedule = Type.Object(
  {
    type: Type.Literal("app_schedule"),
    app: App,
    name: Type.String({ minLength: 1, maxLength: 255 }),
    schedule_at: Time,
    repeat: Type.Optional(Repeat),
    due_time: Type.Optional(
      Type.String({ format: "date-time", description: "When it fires next; absent: never again." }),
    ),
    created_time: Time,
    data: Type.Unknown(),
  },
  { title: "ImportedAppSchedule", ...STRICT },
);
export type ImportedAppSchedule = Static<typeof ImportedAppSchedule>;

/** Records of apps by `type`. */
export const IMPORT_APP_RECORDS = {
  installation: ImportedInstallation,
  app_record: ImportedAppRecord,
  app_entity: ImportedAppEntity,
  app_schedule: ImportedAppSchedule,
} as const;
export type AppImportRecord = {
  [K in keyof typeof IMPORT_APP_RECORDS]: Static<(typeof IMPORT_APP_RECORDS)[K]>;
}[keyof typeof IMPORT_APP_RECORDS];
