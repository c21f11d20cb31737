interface KeyedCommand {
  readonly group: string;
  readonly keys?: string;
}

/** The commands with the keys that they have at present: while conversations are selected, keys act on these in place of the open conversation. */
export const commandsWithKeys = <T extends KeyedCommand>(
  all: Iterable<T>,
): readonly (Omit<T, "keys"> & KeyedCommand)[] => {
  const list = [...all];
  const taken = new Set(list.flatMap(({ group, keys }) => (group === "selection" ? (keys ?? []) : [])));
  return list.map((command) => {
    const { keys, ...unkeyed } = command;
    return command.group !== "selection" && keys !== undefined && taken.has(keys) ? unkeyed : command;
  });
};
