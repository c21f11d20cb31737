import type { Connection } from "@parley/database";
import { fail, ok, warn, type CheckFinding } from "../output/finding.ts";
import { upgradeStore, type DatabaseSessionRow } from "./check.sql.ts";
import { labelledProcess, RELEASE_SCHEMA, type LabelledProcess } from "./process-label.ts";
import { harmfulTo, type SchemaState } from "./schemas.ts";

/** A process that uses the database, as the names of its sessions say. */
export interface RunningProcess extends LabelledProcess {
  /** Address of its machine, as the database sees it. */
  readonly address: string;
}

/** The processes that name themselves in their sessions. */
export const runningProcesses = (sessions: readonly DatabaseSessionRow[]): RunningProcess[] => {
  const found = new Map<string, RunningProcess>();
  for (const { application, address } of sessions) {
    const labelled = labelledProcess(application);
    if (labelled) found.set(`${address}#${labelled.pid}`, { ...labelled, address: address ?? "this machine" });
  }
  return [...found.values()];
};

const placeOf = ({ version, service, platform, pid, address }: RunningProcess) =>
  `process ${pid} at ${address} (${version}, schema ${service}.${platform})`;

const harmedOf = (processes: readonly RunningProcess[], states: readonly SchemaState[]) =>
  processes.filter((each) => harmfulTo(each, states).length > 0).map(placeOf);

/** -> the processes that can't run on the schema of this release, with their addresses */
export const harmedProcesses = async (connection: Connection, states: readonly SchemaState[]): Promise<string[]> =>
  harmedOf(runningProcesses(await upgradeStore(connection).sessions()), states);

/** Whether the processes that use the database can run on the new schema. */
export const processesFinding = (
  processes: readonly RunningProcess[],
  sessions: readonly DatabaseSessionRow[],
  states: readonly SchemaState[],
): CheckFinding => {
  const harmed = harmedOf(processes, states);
  if (harmed.length > 0)
    return fail(
      `These processes can't run on the new schema: ${harmed.join(", ")}.`,
      "Upgrade them to a release in between first, or stop them before the upgrade.",
    );
  const isPending = states.some(({ pending }) => pending.length > 0);
  // Releases before the label, and commands.
  const unknown = sessions.filter(
    ({ application }) => /^parley( |$)/.test(application) && !labelledProcess(application),
  );
  if (isPending && unknown.length > 0)
    return warn(
      `${unknown.length} sessions belong to a release before 0.2.0, or to a command. Such a release can't be started again on the new schema.`,
      "Stop all processes of that release before the upgrade.",
    );
  const newer = processes.filter(
    ({ service, platform }) => service > RELEASE_SCHEMA.service || platform > RELEASE_SCHEMA.platform,
  );
  return ok(
    processes.length === 0
      ? "No process uses the database."
      : `${processes.length === 1 ? "1 process uses" : `${processes.length} processes use`} the database: ${processes.map(placeOf).join(", ")}.${newer.length > 0 ? " Some run a newer release than this command." : ""}`,
  );
};
