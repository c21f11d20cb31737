import type { FrontModel, FrontState } from "@parley/contract";
import { element } from "../../pages/browser/element.ts";
import { resolveFrameOrigin } from "../../pages/browser/frame-origin.ts";
import { createClientActions } from "./actions.ts";
import { customerOf, drawList, drawMessages } from "./conversation.ts";
import { createEditor } from "./editor.ts";
import { createFrameCalls } from "./frame-calls.ts";
import { createInstanceActions } from "./instance-actions.ts";
import { createAppFrames } from "./instances.ts";
import { createEventInterceptors } from "./interceptors.ts";
import { createNotices } from "./notices.ts";
import { createPageSurface } from "./page-surface.ts";
import { mountAppPlaces } from "./places.ts";
import { createFrontServer } from "./server.ts";

/** @units milliseconds */
const POLL_INTERVAL_MS_MIN = 1_000;
const POLL_INTERVAL_MS_MAX = 10_000;
/** Time after the latest news or action during which the page polls quickly. @units milliseconds */
const QUICK_POLLING_MS = 60_000;

/** Polls while the page is visible: quickly after news, more slowly without any, never while hidden. */
const pollWhileVisible = (poll: () => Promise<boolean>) => {
  let timer: number | undefined;
  let pause = POLL_INTERVAL_MS_MIN;
  let lastActivity = performance.now();
  let pollInProgress: Promise<void> | undefined;

  const pollOnce = async () => {
    const hasChanged = await poll();
    if (hasChanged) lastActivity = performance.now();
    pause =
      performance.now() - lastActivity < QUICK_POLLING_MS
        ? POLL_INTERVAL_MS_MIN
        : Math.min(pause * 1.5, POLL_INTERVAL_MS_MAX);
  };
  const schedulePoll = () => {
    window.clearTimeout(timer);
    if (!document.hidden) timer = window.setTimeout(() => void pollNow(), pause);
  };
  const pollNow = (): Promise<void> => {
    pollInProgress ??= pollOnce().finally(() => {
      pollInProgress = undefined;
      schedulePoll();
    });
    return pollInProgress;
  };
  const resumeQuickPolling = () => {
    lastActivity = performance.now();
    if (pause === POLL_INTERVAL_MS_MIN) return;
    pause = POLL_INTERVAL_MS_MIN;
    void pollNow();
  };
  for (const eventName of ["pointerdown", "keydown"]) document.addEventListener(eventName, resumeQuickPolling);
  document.addEventListener("visibilitychange", () => void (document.hidden ? window.clearTimeout(timer) : pollNow()));
  return {
    /** Polls again after a poll that is in progress. */
    async pollAgain() {
      lastActivity = performance.now();
      await pollInProgress;
      await pollNow();
    },
  };
};

/** The host page: an agent's conversations with the app beside them. */

const start = async () => {
  const root = element<HTMLElement>(document, "[data-conversation-page]");
  const model = JSON.parse(root.dataset["model"] ?? "{}") as FrontModel;
  const server = createFrontServer(() => ({ "x-page-token": model.token }));
  const notify = createNotices(element(document, "[data-notices]"));
  const placeSelect = element<HTMLSelectElement>(document, "[data-place]");
  const agentSelect = element<HTMLSelectElement>(document, "[data-agent]");
  const list = element<HTMLElement>(root, "[data-list]");
  const messages = element<HTMLElement>(root, "[data-messages]");
  const part = (name: string) => element<HTMLElement>(document, `[data-part=${name}]`);

  const parameters = new URLSearchParams(location.search);
  let conversation = parameters.get("conversation") ?? undefined;
  let agent = model.agent?.id ?? parameters.get("agent") ?? undefined;
  let state = JSON.parse(root.dataset["state"] ?? "{}") as FrontState;
  let drawn = "";

  const setParameter = (name: string, value: string | undefined) => {
    const address = new URL(location.href);
    if (value === undefined) address.searchParams.delete(name);
    else address.searchParams.set(name, value);
    history.replaceState(null, "", address);
  };

  const instances = createAppFrames({
    origin: await resolveFrameOrigin(root.dataset["pageOrigin"] ?? "", root.dataset["frames"] ?? ""),
    context: ({ location: place, module }) => ({
      app: model.app,
      product: model.product.name,
      productContext: model.product,
      location: place,
      module,
    }),
    onMessage: (instance, message) => void answerFrame(instance, message),
  });
  const interceptors = createEventInterceptors(instances);
  const editor = createEditor(root, {
    server,
    interceptors,
    conversation: () => state.open?.conversation.conversation_id,
    agent: () => agent,
    done: () => polling.pollAgain(),
  });
  const openConversation = (id: string) => {
    if (id === conversation) return;
    conversation = id;
    setParameter("conversation", id);
    editor.reset();
    void polling.pollAgain();
  };
  const surface = createPageSurface({ instances, notify, ...editor, editor: editor.text, openConversation });
  const answerFrame = createFrameCalls({
    server,
    context: () => ({
      ...(conversation === undefined ? {} : { conversation }),
      ...(agent === undefined ? {} : { agent }),
    }),
    interceptors,
    triggerAction: createClientActions(surface),
    callInstanceAction: createInstanceActions(instances),
  });
  const places = mountAppPlaces({
    ...model,
    instances,
    notify,
    opened(place) {
      placeSelect.value = place?.id ?? "";
      setParameter("place", place?.id);
    },
  });

  placeSelect.value = model.places.find(({ kind }) => kind === "sidebar")?.id ?? "";

  const drawState = ({ installed, errors, problem }: FrontState) => {
    for (const one of document.querySelectorAll<HTMLElement>("[data-installed]")) one.hidden = !installed;
    for (const one of document.querySelectorAll<HTMLElement>("[data-missing]")) one.hidden = installed !== undefined;
    element(document, "[data-installed] strong").textContent = installed?.account ?? "";
    part("findings").hidden = errors.length === 0;
    part("errors").replaceChildren(
      ...errors.map((line) => {
        const item = document.createElement("li");
        item.append(Object.assign(document.createElement("code"), { textContent: line }));
        return item;
      }),
    );
    part("problem").textContent = problem ?? "";
    part("problem").hidden = problem === undefined;
  };

  const drawAgents = ({ agents }: FrontState) => {
    const signedIn = model.agent;
    if (signedIn) {
      agentSelect.replaceChildren(new Option(signedIn.name, signedIn.id, true, true));
      agentSelect.disabled = true;
      return;
    }
    agent = agents.find(({ id }) => id === agent)?.id ?? agents[0]?.id ?? agent;
    if (document.activeElement !== agentSelect)
      agentSelect.replaceChildren(...agents.map(({ id, name }) => new Option(name, id, false, id === agent)));
    agentSelect.disabled = agents.length === 0;
  };

  const draw = (now: FrontState) => {
    const before = state;
    state = now;
    const { open, conversations, problem } = now;
    drawState(now);
    drawAgents(now);
    const id = open?.conversation.conversation_id;
    drawList(list, conversations, id, openConversation);
    part("no-conversations").hidden = conversations.length > 0 || problem !== undefined;
    part("customer").textContent = open ? customerOf(open) : "No conversation is open";
    part("status").textContent = open ? [open.conversation.status, open.topic].filter(Boolean).join(" · ") : "";
    drawMessages(messages, open);
    editor.show(open, now.agents);
    places.setInstalled(now.installed !== undefined);
    const isOther = before.version !== now.version || before.installed?.saves !== now.installed?.saves;
    if (isOther) places.reload();
    else if (before.open?.conversation.conversation_id !== id) places.reloadConversationPlaces();
  };

  /** Keeps the last state while the service does not respond. */
  const withLastConversations = (now: FrontState): FrontState => {
    const { conversations, agents, open } = state;
    const isWanted = open !== undefined && open.conversation.conversation_id === conversation;
    return { ...now, conversations, agents, ...(isWanted ? { open } : {}) };
  };

  const loadState = async (): Promise<boolean> => {
    const requested = conversation;
    try {
      const received = await server.loadState({
        ...(requested === undefined ? {} : { conversation: requested }),
        ...(agent === undefined ? {} : { agent }),
      });
      // Another conversation was opened in the meantime: the next poll shows it.
      if (requested !== conversation) return true;
      const now = received.problem === undefined ? received : withLastConversations(received);
      const text = JSON.stringify(now);
      const hasChanged = text !== drawn;
      drawn = text;
      if (hasChanged) draw(now);
      const [newest] = now.conversations;
      if (conversation === undefined && newest) {
        conversation = newest.id;
        return loadState();
      }
      return hasChanged;
    } catch (error) {
      drawn = "";
      part("problem").textContent = error instanceof Error ? error.message : String(error);
      part("problem").hidden = false;
      return false;
    }
  };

  const polling = pollWhileVisible(loadState);
  agentSelect.addEventListener("change", () => {
    agent = agentSelect.value;
    setParameter("agent", agent);
    places.reloadConversationPlaces();
  });
  placeSelect.addEventListener("change", () => places.open(placeSelect.value));
  await polling.pollAgain();
  const place = parameters.get("place");
  if (place !== null) places.open(place);
  document.body.dataset["ready"] = "true";
};

void start();
