import type { FrontFailure } from "@parley/contract";
import { messageOrigins, type FrameOrigin } from "../../pages/browser/frame-origin.ts";
import {
  parseAppFrameMessage,
  HELLO,
  WELCOME,
  type FrameContext,
  type AppFrameMessage,
  type AppFrameUpdate,
} from "./messages.ts";

/** Content of a frame. */
export interface FrameSpec {
  /** URL below `/app/`. */
  readonly url: string;
  readonly title: string;
  readonly location: string;
  readonly module: string;
  /** The instance that opened this instance. */
  readonly parent?: AppInstanceFrame;
  /** Data from the parent. */
  readonly data?: unknown;
  readonly close?: () => void;
}

/** A page of the app in a frame. */
export interface AppInstanceFrame {
  readonly id: string;
  readonly spec: FrameSpec;
  readonly frame: HTMLIFrameElement;
  send(message: AppFrameUpdate): void;
  /** Notifies the app that its placeholder was opened or left. */
  activate(active: boolean): void;
  /** Returns whether the frame listens to an event, and whether the page must wait for its decision. */
  listens(event: string): { readonly intercept: boolean } | undefined;
  end(): void;
}

interface InstancesDeps {
  readonly origin: FrameOrigin;
  readonly context: (spec: FrameSpec) => FrameContext;
  readonly onMessage: (instance: AppInstanceFrame, message: AppFrameMessage) => void;
}

const SANDBOX_PERMISSIONS =
  "allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-modals allow-downloads";

export class FrameRefusal extends Error {
  readonly failure: FrontFailure;
  constructor(message: string, status = 400) {
    super(message);
    this.failure = { status, message };
  }
}

/** Address of a page in the app's folder. @errors Refusal for a page elsewhere */
const addressOf = ({ origin }: FrameOrigin, url: string): string => {
  const root = `${origin}/app/`;
  const address = new URL(url, root);
  if (!address.href.startsWith(root)) throw new FrameRefusal(`'${url}' is not a page in the folder app/.`);
  return address.href;
};

/** All open frames of the app by id. */
export const createAppFrames = ({ origin: frameOrigin, context, onMessage }: InstancesDeps) => {
  const all = new Map<string, AppInstanceFrame>();
  const connectByWindow = new Map<Window, () => void>();
  let count = 0;
  const origins = messageOrigins(frameOrigin);

  window.addEventListener("message", ({ source, origin, data }: MessageEvent<{ t?: unknown } | undefined>) => {
    if (data?.t !== HELLO || origin !== origins.from) return;
    if (source instanceof Window || (typeof source === "object" && source !== null))
      connectByWindow.get(source as Window)?.();
  });

  const mount = (spec: FrameSpec, into: HTMLElement): AppInstanceFrame => {
    const id = String((count += 1));
    const frame = document.createElement("iframe");
    frame.title = spec.title;
    frame.setAttribute(
      "sandbox",
      frameOrigin.isOpaque ? SANDBOX_PERMISSIONS : `${SANDBOX_PERMISSIONS} allow-same-origin`,
    );
    frame.allow = "clipboard-write";
    const address = addressOf(frameOrigin, spec.url);
    let port: MessagePort | undefined;
    let active = false;
    let listeners = new Map<string, boolean>();

    const send = (message: AppFrameUpdate) => port?.postMessage(message);
    const sendActivation = () => send({ t: "event", event: active ? "app.activated" : "app.deactivated", data: {} });
    const instance: AppInstanceFrame = {
      id,
      spec,
      frame,
      send,
      activate(now) {
        if (active === now) return;
        active = now;
        sendActivation();
      },
      listens(event) {
        const intercept = listeners.get(event);
        return intercept === undefined ? undefined : { intercept };
      },
      end() {
        for (const child of [...all.values()].filter(({ spec: { parent } }) => parent === instance))
          child.spec.close?.();
        all.delete(id);
        port?.close();
        if (frameWindow) connectByWindow.delete(frameWindow);
        frame.remove();
      },
    };

    frame.src = address;
    into.append(frame);
    const frameWindow = frame.contentWindow;
    // A page that is reloaded in the frame connects again and starts anew.
    const connect = () => {
      port?.close();
      const { port1, port2 } = new MessageChannel();
      port = port1;
      listeners = new Map();
      port1.onmessage = ({ data }) => {
        const message = parseAppFrameMessage(data);
        if (message?.t === "listen") listeners.set(message.event, listeners.get(message.event) || message.intercept);
        else if (message) onMessage(instance, message);
      };
      frameWindow?.postMessage({ t: WELCOME, context: context(spec) }, origins.to, [port2]);
      if (active) sendActivation();
    };
    if (frameWindow) connectByWindow.set(frameWindow, connect);
    all.set(id, instance);
    return instance;
  };

  return { mount, all: () => [...all.values()], find: (id: string) => all.get(id) };
};
export type AppFrames = ReturnType<typeof createAppFrames>;
