import type { FrontModel, FrontState } from "@parley/contract";
import { element } from "../../pages/browser/element.ts";
import { createClientActions } from "./actions.ts";
import { customerOf, drawList, drawMessages } from "./conversation.ts";
import { createEditor } from "./editor.ts";
import { createFrameHome, createAppFrames, FrameRefusal, type AppFrame } from "./instances.ts";
import { createEventInterceptors } from "./event-interceptors.ts";
import { createInstanceActions } from "./instance-actions.ts";
import type { AppFrameMessage } from "./messages.ts";
import { createNotices } from "./notices.ts";
import { mountAppPlaces } from "./places.ts";
import { createFrontServer } from "./server.ts";

/** @units milliseconds */
const POLL_INTERVAL_MIN_MS = 1_000;
const POLL_INTERVAL_MAX_MS = 10_000;
/** Time after the latest news or action during which the page polls quickly. @units milliseconds */
const QUICK_POLLING_MS = 60_000;

/** Polls while the page is visible: quickly after news, more slowly without any, never while hidden. */
export const pollWhileVisible = (look: () => Promise<boolean>) => {
  let timer: number | undefined;
  let pause = POLL_INTERVAL_MIN_MS;
  let lively = performance.now();
  let looking: Promise<void> | undefined;

  const once = async () => {
    const news = await look();
    if (news) lively = performance.now();
    pause =
      performance.now() - lively < QUICK_POLLING_MS
        ? POLL_INTERVAL_MIN_MS
        : Math.min(pause * 1.5, POLL_INTERVAL_MAX_MS);
  };
  const plan = () => {
    window.clearTimeout(timer);
    if (!document.hidden) timer = window.setTimeout(() => void now(), pause);
  };
  const now = (): Promise<void> => {
    looking ??= once().finally(() => {
      looking = undefined;
      plan();
    });
    return looking;
  };
  const stir = () => {
    lively = performance.now();
    if (pause === POLL_INTERVAL_MIN_MS) return;
    pause = POLL_INTERVAL_MIN_MS;
    void now();
  };
  for (const sign of ["pointerdown", "keydown"]) document.addEventListener(sign, stir);
  document.addEventListener("visibilitychange", () => void (document.hidden ? window.clearTimeout(timer) : now()));
  return {
    /** Polls again after a poll that is in progress. */
    async again() {
      lively = performance.now();
      await looking;
      await now();
    },
  };
};

/** The host page: an agent's conversations with the app beside them. */

/** Maximum number of the app's pending calls to the host; a working page has fewer. */
const PENDING_CALLS_MAX = 100;

const begin = async () => {
  const root = element<HTMLElement>(document, "[data-desk]");
  const model = JSON.parse(root.dataset["model"] ?? "{}") as FrontModel;
  const server = createFrontServer(model.token);
  const notify = createNotices(element(document, "[data-notices]"));
  const switcher = element<HTMLSelectElement>(document, "[data-switcher]");
  const acting = element<HTMLSelectElement>(document, "[data-agent]");
  const list = element<HTMLElement>(root, "[data-list]");
  const messages = element<HTMLElement>(root, "[data-messages]");
  const part = (name: string) => element<HTMLElement>(document, `[data-part=${name}]`);

  const asked = new URLSearchParams(location.search);
  let conversation = asked.get("conversation") ?? undefined;
  let agent = asked.get("agent") ?? undefined;
  let standing = JSON.parse(root.dataset["standing"] ?? "{}") as FrontState;
  let drawn = "";
  let waiting = 0;

  const remember = (name: string, value: string | undefined) => {
    const address = new URL(location.href);
    if (value === undefined) address.searchParams.delete(name);
    else address.searchParams.set(name, value);
    history.replaceState(null, "", address);
  };

  const answer = async (instance: AppFrame, message: AppFrameMessage) => {
    if (message.t === "listen") return;
    if (message.t === "word") return listening.answer(message.id, message);
    const { id } = message;
    try {
      if (message.t === "ask") {
        const stand = {
          ...(conversation === undefined ? {} : { conversation }),
          ...(agent === undefined ? {} : { agent }),
        };
        if (waiting >= PENDING_CALLS_MAX)
          throw new FrameRefusal(
            `${PENDING_CALLS_MAX} questions of the app wait for an answer: it must wait too.`,
            429,
          );
        waiting += 1;
        const told = await server.call({ question: message.question, ...stand }).finally(() => (waiting -= 1));
        return instance.tell({ t: "reply", id, ...told });
      }
      const value = await (message.t === "trigger"
        ? act(message.action, message.options, instance)
        : instanceAct(message.act, message.options, instance));
      instance.tell({ t: "reply", id, value });
    } catch (error) {
      if (!(error instanceof FrameRefusal)) console.error(error);
      const failure = error instanceof FrameRefusal ? error.failure : { status: 500, message: String(error) };
      instance.tell({ t: "reply", id, failure });
    }
  };

  const instances = createAppFrames({
    home: await createFrameHome(root.dataset["home"] ?? "", root.dataset["frames"] ?? ""),
    context: ({ location: place, module }) => ({
      app: model.app,
      product: model.product.name,
      productContext: model.product,
      location: place,
      module,
    }),
    heard: (instance, message) => void answer(instance, message),
  });
  const listening = createEventInterceptors(instances);
  const editor = createEditor(root, {
    server,
    heed: listening,
    conversation: () => standing.open?.conversation.conversation_id,
    agent: () => agent,
    done: () => rhythm.again(),
  });
  const choose = (id: string) => {
    if (id === conversation) return;
    conversation = id;
    remember("conversation", id);
    editor.turn();
    void rhythm.again();
  };
  const act = createClientActions({
    instances,
    notify,
    elements: editor.elements,
    editor: editor.text,
    openConversation: choose,
  });
  const instanceAct = createInstanceActions(instances);
  const places = mountAppPlaces({
    ...model,
    instances,
    notify,
    opened(place) {
      switcher.value = place?.id ?? "";
      remember("place", place?.id);
    },
  });

  switcher.value = model.places.find(({ kind }) => kind === "sidebar")?.id ?? "";

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
    agent = agents.find(({ id }) => id === agent)?.id ?? agents[0]?.id ?? agent;
    if (document.activeElement !== acting)
      acting.replaceChildren(...agents.map(({ id, name }) => new Option(name, id, false, id === agent)));
    acting.disabled = agents.length === 0;
  };

  const draw = (now: FrontState) => {
    const before = standing;
    standing = now;
    const { open, conversations, problem } = now;
    drawState(now);
    drawAgents(now);
    const id = open?.conversation.conversation_id;
    drawList(list, conversations, id, choose);
    part("no-conversations").hidden = conversations.length > 0 || problem !== undefined;
    part("customer").textContent = open ? customerOf(open) : "No conversation is open";
    part("status").textContent = open ? [open.conversation.status, open.topic].filter(Boolean).join(" · ") : "";
    drawMessages(messages, open);
    editor.show(open, now.agents, model.live);
    places.allow(now.installed !== undefined);
    const isOther = before.version !== now.version || before.installed?.saves !== now.installed?.saves;
    if (isOther) places.reload();
    else if (before.open?.conversation.conversation_id !== id) places.turn();
  };

  /** Keeps the last state while the service does not respond. */
  const lasting = (now: FrontState): FrontState => {
    const { conversations, agents, open } = standing;
    const isWanted = open !== undefined && open.conversation.conversation_id === conversation;
    return { ...now, conversations, agents, ...(isWanted ? { open } : {}) };
  };

  const look = async (): Promise<boolean> => {
    const wanted = conversation;
    try {
      const told = await server.look({
        ...(wanted === undefined ? {} : { conversation: wanted }),
        ...(agent === undefined ? {} : { agent }),
      });
      // Another conversation was opened in the meantime: the next poll shows it.
      if (wanted !== conversation) return true;
      const now = told.problem === undefined ? told : lasting(told);
      const text = JSON.stringify(now);
      const news = text !== drawn;
      drawn = text;
      if (news) draw(now);
      const [newest] = now.conversations;
      if (conversation === undefined && newest) {
        conversation = newest.id;
        return look();
      }
      return news;
    } catch (error) {
      drawn = "";
      part("problem").textContent = error instanceof Error ? error.message : String(error);
      part("problem").hidden = false;
      return false;
    }
  };

  const rhythm = pollWhileVisible(look);
  acting.addEventListener("change", () => {
    agent = acting.value;
    remember("agent", agent);
    places.turn();
  });
  switcher.addEventListener("change", () => places.open(switcher.value));
  await rhythm.again();
  const place = asked.get("place");
  if (place !== null) places.open(place);
  document.body.dataset["ready"] = "true";
};

void begin();
