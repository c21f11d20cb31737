/** Apps in frames of the console. */
export { AppStopped, createAppFrame, type AppFrame, type AppFrameHandlers } from "./app-frame.ts";
