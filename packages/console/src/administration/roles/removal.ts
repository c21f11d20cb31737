import { isProblemError } from "@parley/client/session";

/**
 * Removes a setting.
 * @shape inUse: text if agents have it
 * @errors that of `remove`; one with `inUse` if the service refused it for this reason
 */
export const removeUnused = async (remove: () => Promise<void>, inUse: string): Promise<void> => {
  try {
    await remove();
  } catch (error) {
    // The client's type of tokens has those of the API.
    const status: string | undefined = isProblemError(error) ? error.problem.status : undefined;
    throw status === "SETTING_IN_USE" ? new Error(inUse) : error;
  }
};
