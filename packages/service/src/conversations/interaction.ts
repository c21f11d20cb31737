/**
 * Names the time from a conversation's start or reopening to its resolution.
 * @shape `<number of the conversation>-<epoch ms>`
 * @spec Resources and their fields > Message object
 */
export const interactionId = (number: number, time: Date, before?: string): string => {
  // Two interactions of one millisecond are two all the same.
  const least = before === undefined ? 0 : Number(before.slice(before.indexOf("-") + 1)) + 1;
  return `${number}-${Math.max(time.getTime(), least)}`;
};
