/** The span that caused an event (W3C `traceparent`); null unless the process that wrote it records traces. */
export const EVENT_TRACES = `alter table outbox add column trace_parent text;`;
