import {
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type Context,
  type Span,
} from "@opentelemetry/api";

/**
 * Spans of what a process does, for the OpenTelemetry SDK that an operator has loaded before Parley. Without one nothing is recorded.
 * Attributes name routes, statuses, apps, accounts and kinds of events; never texts, keys, or ids of customers.
 */

/** Where a span continues a trace. */
export type TraceContext = Context;

/** Header with the trace that a request belongs to (W3C Trace Context). */
export const TRACE_PARENT_HEADER = "traceparent";

const TRACE_PARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

const tracer = () => trace.getTracer("parley");

/** Whether an SDK was loaded that records spans. It is loaded before Parley, and stays. */
export const isTracing = (): boolean =>
  // The span is never ended, and so not recorded.
  isSpanContextValid(tracer().startSpan("probe", { root: true }).spanContext());

/** The present span as other processes refer to it (W3C `traceparent`); undefined outside of a span. */
export const currentTraceParent = (): string | undefined => {
  const span = trace.getSpanContext(context.active());
  if (!span || !isSpanContextValid(span)) return undefined;
  return `00-${span.traceId}-${span.spanId}-${(span.traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, "0")}`;
};

/** Headers with which another process of this installation continues the trace; empty outside of a span. */
export const traceHeaders = (): Readonly<Record<string, string>> => {
  const present = currentTraceParent();
  return present === undefined ? {} : { [TRACE_PARENT_HEADER]: present };
};

/** The context of a span of another process. A missing or invalid text begins a new trace. */
export const contextOf = (traceParent: string | null | undefined): TraceContext => {
  const [, traceId, spanId, flags = "0"] = TRACE_PARENT.exec(traceParent ?? "") ?? [];
  if (traceId === undefined || spanId === undefined) return ROOT_CONTEXT;
  const remote = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true };
  return isSpanContextValid(remote) ? trace.setSpanContext(ROOT_CONTEXT, remote) : ROOT_CONTEXT;
};

const KINDS = {
  /** A request from elsewhere. */
  server: SpanKind.SERVER,
  /** A request to elsewhere. */
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
} as const;

interface SpanOptions {
  readonly kind: keyof typeof KINDS;
  readonly attributes?: Attributes;
  /** Default: the present context. */
  readonly parent?: TraceContext | undefined;
}

/** A span that is open. */
export interface OpenSpan {
  readonly context: TraceContext;
  set(attributes: Attributes): void;
  fail(): void;
  end(): void;
}

const openSpanOf = (span: Span, at: Context): OpenSpan => ({
  context: at,
  set: (attributes) => void span.setAttributes(attributes),
  // No message: those of errors may contain texts of customers.
  fail: () => void span.setStatus({ code: SpanStatusCode.ERROR }),
  end: () => span.end(),
});

/** Opens a span that the caller ends. */
export const openSpan = (name: string, { kind, attributes = {}, parent }: SpanOptions): OpenSpan => {
  const before = parent ?? context.active();
  const span = tracer().startSpan(name, { kind: KINDS[kind], attributes }, before);
  return openSpanOf(span, trace.setSpan(before, span));
};

/** Runs the work in a context. */
export const inContext = <T>(at: TraceContext, work: () => T): T => context.with(at, work);

/** Runs the work in a span that ends with it. An exception marks the span as failed. */
export const inSpan = async <T>(
  name: string,
  options: SpanOptions,
  work: (span: OpenSpan) => Promise<T>,
): Promise<T> => {
  const span = openSpan(name, options);
  try {
    return await inContext(span.context, () => work(span));
  } catch (error) {
    span.fail();
    throw error;
  } finally {
    span.end();
  }
};
