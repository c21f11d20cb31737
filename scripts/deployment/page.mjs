/** The commands of docs/operators/README.md. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../installed.mjs";
import { DeploymentFailure } from "./tools.mjs";

const PAGE = "docs/operators/README.md";
const HEADING = /^#{2,3} (.+)$/;
const FENCE = /^```(\S*)(?: (\S+))?$/;

/**
 * Blocks of commands in their order. Those that begin with `sh` are executed; a second word names the machine.
 * @shape {title: the heading above, machine: "first" | "second", commands: string}[]
 * @errors DeploymentFailure if the page has a block that no reader would execute in this order
 */
export function blocksOf(text) {
  const blocks = [];
  let [title, open] = ["", undefined];
  for (const line of text.split("\n")) {
    const [, heading] = HEADING.exec(line) ?? [];
    const [fence, language = "", machine = "first"] = FENCE.exec(line) ?? [];
    if (open === undefined && heading !== undefined) title = heading;
    else if (open === undefined && fence !== undefined) open = { title, language, machine, lines: [] };
    else if (open !== undefined && line === "```") {
      const { lines, ...block } = open;
      blocks.push({ ...block, commands: lines.join("\n") });
      open = undefined;
    } else open?.lines.push(line);
  }
  if (open !== undefined) throw new DeploymentFailure(`${PAGE}: the block below "${open.title}" does not end.`);
  return blocks.filter(({ language }) => language === "sh");
}

const pageBlocks = () => blocksOf(readFileSync(join(root, PAGE), "utf8"));

const isStep = ({ title }) => /^\d+\. /.test(title);

/** -> the blocks of the ten steps, and those of the second machine by machine */
export function deploymentBlocks(blocks = pageBlocks()) {
  const steps = blocks.filter(isStep);
  const numbers = [...new Set(steps.map(({ title }) => Number.parseInt(title, 10)))];
  if (numbers.join() !== "1,2,3,4,5,6,7,8,9,10")
    throw new DeploymentFailure(`${PAGE} has the steps ${numbers.join(", ")} with commands instead of ten.`);
  const others = blocks.filter((block) => !isStep(block));
  return {
    steps,
    firstMachine: others.filter(({ machine }) => machine === "first"),
    secondMachine: others.filter(({ machine }) => machine === "second"),
  };
}
