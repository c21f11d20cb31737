import { logText } from "@parley/telemetry";
import { migrate, statement, type Database, type Pool } from "@parley/database";
import { testDatabase } from "@parley/database/testing";
import { SERVICE_MIGRATIONS, SERVICE_SCHEMA } from "../../../src/base/db/migrations.ts";
import { realPorts } from "../../../src/base/environment/ports.ts";
import { createJobs, type StartableJobs, type JobTasks } from "../../../src/base/jobs/index.ts";

const LEFT = statement("", "select task, tries, queued from due_work");

/** A database with only the tables, and processes that use it. */
export interface JobsFixture {
  readonly database: Database;
  readonly pool: Pool;
  readonly lines: readonly string[];
  /** Moves the clock of every process. */
  forward(ms: number): void;
  now(): Date;
  /** One process that performs these tasks. */
  process(tasks?: JobTasks, on?: Database): StartableJobs;
  /** Returns the scheduled, incomplete work. */
  left(): Promise<{ task: string; tries: number; queued: boolean }[]>;
  close(): Promise<void>;
}

export async function jobsFixture(): Promise<JobsFixture> {
  const run = (database: Database) => migrate(database, SERVICE_SCHEMA, SERVICE_MIGRATIONS);
  const database = await testDatabase({ key: `yard ${JSON.stringify(SERVICE_MIGRATIONS)}`, run });
  const pool = database.pool(SERVICE_SCHEMA, { max: 2 });
  const opened: StartableJobs[] = [];
  const lines: string[] = [];
  let time = Date.parse("2026-03-01T10:00:00.000Z");
  const now = () => new Date(time);
  return {
    database,
    pool,
    lines,
    now,
    forward: (ms) => {
      time += ms;
    },
    process: (tasks, on = database) => {
      const one = createJobs({
        database: on,
        ports: { ...realPorts, now },
        log: (...line) => void lines.push(logText(...line)),
      });
      opened.push(one);
      if (tasks) one.begin(tasks);
      return one;
    },
    left: () => pool.rows(LEFT, []),
    async close() {
      await Promise.all(opened.map((each) => each.close()));
      await pool.end();
      await database.close();
    },
  };
}
