import type { EmbedModel, FrontPlace, PlaceKind } from "@parley/contract";
import { element } from "../../pages/browser/element.ts";
import { createClientActions } from "../browser/actions.ts";
import { createFrameCalls } from "../browser/frame-calls.ts";
import { createInstanceActions, resizeFrame } from "../browser/instance-actions.ts";
import { createAppFrames, FrameRefusal, type AppInstanceFrame } from "../browser/instances.ts";
import { createEventInterceptors } from "../browser/interceptors.ts";
import { connectToConsole, type ConsoleCommand } from "./console-link.ts";
import { createConsoleSurface } from "./console-surface.ts";
import { createEmbeddedSession } from "./embed-session.ts";

/**
 * The page of one place of an app inside the console: the app's frame and nothing else. The console says which conversation is open and
 * whether the place is active, and performs what the app does to the product.
 *
 *   connecting ──► waiting for `open` ──► beginning (ticket → session → model) ──► shown
 *   any state ──► failed: an `error` to the console and a notice here; the next `open` tries again
 */

/** Kinds of places that belong to the open conversation: their frame is loaded anew for another conversation. */
const CONVERSATION_KINDS: ReadonlySet<PlaceKind> = new Set(["sidebar", "editor", "background"]);
const CLOSABLE_KINDS: ReadonlySet<PlaceKind> = new Set(["editor", "page", "panel"]);

/** @units milliseconds */
const CONNECT_TIMEOUT_MS = 10_000;
const NOT_CONNECTED =
  "This page shows an app inside the console, which did not answer. Open the console, or reload it.";

type Opened = Extract<ConsoleCommand, { readonly t: "open" }>;

const failureOf = (error: unknown) => {
  const { status, message } = error instanceof FrameRefusal ? error.failure : { status: 500, message: String(error) };
  return { status, message: message.slice(0, 4_000) };
};

const start = async () => {
  const { frames = "", consoles = "", pollSeconds = "60" } = document.body.dataset;
  const main = element<HTMLElement>(document, "[data-place]");
  const notice = element<HTMLElement>(document, "[data-problem]");
  const parameters = new URLSearchParams(location.search);
  const placeId = parameters.get("place") ?? "";
  const initial = parameters.get("conversation") ?? undefined;
  let conversation: string | undefined;
  let model: EmbedModel | undefined;
  let opened: Opened | undefined;
  let active = false;
  let frame: AppInstanceFrame | undefined;

  const showNotice = (text: string) => {
    notice.textContent = text;
    notice.hidden = false;
  };
  const timer = setTimeout(() => showNotice(NOT_CONNECTED), CONNECT_TIMEOUT_MS);
  const link = await connectToConsole(consoles.split(" "), (command) => void obey(command));
  clearTimeout(timer);
  notice.hidden = true;
  const session = createEmbeddedSession(link);
  const instances = createAppFrames({
    origin: { origin: frames, isOpaque: false },
    context: ({ location: place, module }) => ({
      app: model?.app ?? "",
      product: model?.product.name ?? "",
      productContext: model?.product ?? { name: "", url: "" },
      location: place,
      module,
    }),
    onMessage: (instance, message) => void answerFrame(instance, message),
  });
  const interceptors = createEventInterceptors(instances);
  const surface = createConsoleSurface({ link, instances, place: main });
  const answerFrame = createFrameCalls({
    server: session,
    context: () => (conversation === undefined ? {} : { conversation }),
    interceptors,
    triggerAction: createClientActions(surface),
    callInstanceAction: createInstanceActions(instances, {
      resize(instance, height) {
        if (instance === frame) link.send({ t: "resize", height });
        else resizeFrame(instance, height);
      },
    }),
  });

  const unload = () => {
    frame?.activate(false);
    frame?.end();
    frame = undefined;
  };
  const fail = (error: unknown) => {
    unload();
    const failure = failureOf(error);
    // Reported before, for the same reason.
    if (!notice.hidden && notice.textContent === failure.message) return;
    showNotice(failure.message);
    link.send({ t: "error", failure });
  };
  const mount = ({ url, label, name, module, kind }: FrontPlace, app: string) => {
    const close = () => link.send({ t: "close" });
    const closable = CLOSABLE_KINDS.has(kind) ? { close } : {};
    const mounted = instances.mount({ url, title: `${app}: ${label}`, location: name, module, ...closable }, main);
    mounted.frame.addEventListener("load", () => link.send({ t: "ready" }), { once: true });
    mounted.activate(active);
    frame = mounted;
  };
  /** @errors FrameRefusal where the place can't be shown */
  const show = () => {
    if (!opened || !model) return;
    const { problem, places, app } = model;
    if (problem !== undefined) throw new FrameRefusal(problem, 403);
    const place = places.find(({ id }) => id === placeId);
    if (!place) throw new FrameRefusal(`The app has no place '${placeId}'.`, 404);
    const isOther = opened.conversation !== conversation;
    conversation = opened.conversation;
    if (isOther && CONVERSATION_KINDS.has(place.kind)) unload();
    notice.hidden = true;
    if (!frame) mount(place, app);
  };
  /** Shows the app in its present version. */
  const receive = (received: EmbedModel) => {
    if (model && model.revision !== received.revision) unload();
    model = received;
    show();
  };
  const open = async (command: Opened) => {
    opened = command;
    // Another agent has signed in to the console.
    if (!model || model.agent.id !== command.agent) receive(await session.begin());
    else show();
  };
  const intercept = async ({ id, event, data }: Extract<ConsoleCommand, { readonly t: "intercept" }>) => {
    const { ok, message } = await interceptors.before(event, data);
    link.send({ t: "decision", id, ok, message });
  };
  const activate = (isActive: boolean) => {
    active = isActive;
    frame?.activate(isActive);
  };
  const obey = async (command: ConsoleCommand) => {
    if (command.t === "open") await open(command).catch(fail);
    else if (command.t === "intercept") await intercept(command);
    else if (command.t === "layout") surface.layOut(command.rectangle);
    else activate(command.t === "activate");
  };

  const poll = async () => {
    if (!active || !model || !opened || document.hidden) return;
    // A failure of the host shows itself in the app's calls.
    const received = await session.refresh().catch(() => undefined);
    try {
      if (received) receive(received);
    } catch (error) {
      fail(error);
    }
  };
  setInterval(() => void poll(), Number(pollSeconds) * 1_000);

  // The address can name the conversation: the app is then shown before the console's first message.
  if (initial === undefined) return;
  const begun = await session.begin().catch(fail);
  if (!begun || opened) return;
  model = begun;
  await open({ t: "open", agent: begun.agent.id, conversation: initial }).catch(fail);
};

void start();
