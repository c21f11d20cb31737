/** What happened, told once: from the log of events to the tables of reports and metrics. */
export { facts, type FactOptions, type Facts } from "./part.ts";
export { FACT_RULES, type FactRules } from "./rules.ts";
