import { environmentRows, type EnvironmentCommand } from "@parley/contract";

/** The section of a command's help that lists the environment variables which the command reads. */
export const environmentHelp = (command: EnvironmentCommand): string => {
  const rows = environmentRows(command);
  const width = Math.max(...rows.map(({ name }) => name.length));
  return [
    "Environment:",
    ...rows.map(({ name, sets, unset, page }) => {
      const details = page ? `; see docs/${page[1].replace(/#.*/, "")}` : "";
      return `  ${name.padEnd(width)}  ${sets} (default: ${unset})${details}`;
    }),
  ].join("\n");
};
