import { migrate, type Database } from "@parley/database";
import { testDatabase } from "@parley/database/testing";
import { APP_MIGRATIONS, APP_SCHEMA } from "@parley/framework";
import { SERVICE_MIGRATIONS, SERVICE_SCHEMA } from "@parley/service";

/** Creates a database with the empty tables of the service and of apps. */
export const migratedDatabase = (): Promise<Database> =>
  testDatabase({
    key: `parley ${JSON.stringify([SERVICE_MIGRATIONS, APP_MIGRATIONS])}`,
    schemas: [SERVICE_SCHEMA, APP_SCHEMA],
    async run(database) {
      await migrate(database, SERVICE_SCHEMA, SERVICE_MIGRATIONS);
      await migrate(database, APP_SCHEMA, APP_MIGRATIONS);
    },
  });
