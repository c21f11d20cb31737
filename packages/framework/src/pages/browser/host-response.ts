/** Shown when a request of a page gets no response. */
export const UNREACHABLE_HOST_MESSAGE = "The app host can't be reached. Is it still running?";

/** -> the sentence of a refusal for the person who uses the page */
export const refusalMessageOf = async (response: Response): Promise<string> => {
  const body = (await response.json().catch(() => ({}))) as { message?: unknown };
  return typeof body.message === "string" ? body.message : `The app host answered ${response.status}.`;
};
