import type { Command } from "commander";

export const addPack = (program: Command, exit: (status: number) => void): void => {
  void program;
  void exit;
};
