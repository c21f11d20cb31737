/**
 * Load generator in its own process: keeps connections busy with one request at a time over raw sockets, to use little of the CPU that it measures.
 * Receives a job by message and sends the result by message.
 */
import { connect } from "node:net";
import { performance } from "node:perf_hooks";

const END_OF_HEAD = Buffer.from("\r\n\r\n");
/** First digit of a successful status. */
const SUCCESS_DIGIT = "2".charCodeAt(0);

/** -> length of the first complete response in the buffer; 0 when it is incomplete */
const answerLength = (buffer) => {
  const head = buffer.indexOf(END_OF_HEAD);
  if (head < 0) return 0;
  const length = /\r\ncontent-length: *(\d+)/i.exec(buffer.latin1Slice(0, head + 2))?.[1];
  if (length === undefined) throw new Error(`a response without Content-Length: ${buffer.latin1Slice(0, head)}`);
  const end = head + 4 + Number(length);
  return buffer.length >= end ? end : 0;
};

/** Keeps one connection busy until `isOver`; `next` returns the next request, `done` is called for each response. */
const worker = (port, next, done, isOver) =>
  new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let buffer = Buffer.alloc(0);
    let sent = 0;
    const send = () => {
      sent = performance.now();
      socket.write(next());
    };
    socket.setNoDelay(true);
    socket.on("connect", send);
    socket.on("error", reject);
    socket.on("data", (chunk) => {
      buffer = buffer.length === 0 ? chunk : Buffer.concat([buffer, chunk]);
      const length = answerLength(buffer);
      if (length === 0) return;
      done(performance.now() - sent, buffer[9] === SUCCESS_DIGIT);
      buffer = buffer.subarray(length);
      if (!isOver()) return send();
      socket.end();
      resolve();
    });
  });

const requestText = ({ method, path, headers, body = "" }, more = []) =>
  [
    `${method} ${path} HTTP/1.1`,
    "host: 127.0.0.1",
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...more,
    ...(body ? ["content-type: application/json", `content-length: ${Buffer.byteLength(body)}`] : []),
    "",
    body,
  ].join("\r\n");

let keys = 0;
/** Makes the idempotency keys unique to this run. */
const RUN = `${process.pid}-${Date.now()}`;

/** -> a function that returns the bytes of the request; a request that is `keyed` gets a new idempotency key each time */
const requestOf = (request) => {
  if (!request.keyed) {
    const bytes = Buffer.from(requestText(request));
    return () => bytes;
  }
  const [head, tail] = requestText(request, ["idempotency-key: \0"]).split("\0");
  return () => `${head}${RUN}-${keys++}${tail}`;
};

/** Runs one job: `{ port, requests, connections, warmup, seconds }` -> `{ rate, p50, p99, failed, answered }`; answered: responses, also of the warm-up. @units seconds; milliseconds */
const run = async ({ port, requests, connections, warmup, seconds }) => {
  const prepared = requests.map(requestOf);
  const times = [];
  let [answered, failed] = [0, 0];
  let turn = 0;
  const from = performance.now() + warmup * 1_000;
  const to = from + seconds * 1_000;
  const next = () => prepared[turn++ % prepared.length]();
  const done = (time, ok) => {
    const now = performance.now();
    answered++;
    if (!ok) failed++;
    if (now >= from && now < to) times.push(time);
  };
  const isOver = () => performance.now() >= to;
  await Promise.all(Array.from({ length: connections }, () => worker(port, next, done, isOver)));
  times.sort((a, b) => a - b);
  const at = (part) => times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0;
  return { rate: times.length / seconds, p50: at(0.5), p99: at(0.99), failed, answered };
};

process.on("message", (job) => {
  run(job).then(
    (result) => process.send({ result }),
    (error) => process.send({ error: error.message }),
  );
});
