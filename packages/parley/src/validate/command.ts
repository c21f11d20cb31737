import type { Command } from "commander";

export const addValidate = (program: Command, exit: (status: number) => void): void => {
  void program;
  void exit;
};
