import { stateOf, watchProject, type ProjectUnusable } from "@parley/framework";

/** Shows what is wrong with an app, and waits until its author has changed something. @errors the failure, when told to stop */
export const mendByHand =
  (stopped: AbortSignal, log: (line: string) => void) =>
  async (failure: ProjectUnusable, folder: string): Promise<void> => {
    const known = await stateOf(folder);
    log(failure.message);
    let end = (): void => undefined;
    const over = new Promise<void>((resolve) => (end = resolve));
    stopped.addEventListener("abort", end);
    if (stopped.aborted) end();
    const changed = () => Promise.resolve(end());
    const trouble = (error: unknown) => log(`error: The app's folder can't be followed: ${String(error)}`);
    const watcher = await watchProject(folder, changed, trouble, known);
    log("Waiting for a change of the app's files …");
    await over;
    stopped.removeEventListener("abort", end);
    await watcher.close();
    if (stopped.aborted) throw failure;
  };
