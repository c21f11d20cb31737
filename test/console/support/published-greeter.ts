import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { greeter, withCustomerRequest, type TestAppFiles } from "../../../packages/parley/test/greeter-app.ts";
import { callParley } from "../../../packages/parley/test/command-call.ts";

export type GreeterVersion = "1.0.0" | "1.1.0" | "2.0.0";

/**
 * The first version throws at "break" and in the schedule "late"; the second one does neither, and
 * also receives new customers; the key of the third one needs another permission.
 */
const appFiles = (version: GreeterVersion): TestAppFiles => {
  const files = greeter(version);
  if (version === "2.0.0") return withCustomerRequest(files);
  const code = files["server/server.js"] as string;
  if (version === "1.0.0")
    return {
      ...files,
      "server/server.js": code
        .replace(
          "const schedule =",
          'console.log("text " + content);\n    if (content === "break") throw new Error("Broken on purpose");\n    const schedule =',
        )
        .replace(
          "scheduled: async function (args) {",
          '$&\n    if (args.data.text === "late") throw new Error("Late on purpose");\n',
        ),
    };
  const { "platform-version": platform, modules } = files["manifest.json"] as {
    readonly "platform-version": string;
    readonly modules: Readonly<Record<string, object>>;
  };
  return {
    ...files,
    "manifest.json": {
      "platform-version": platform,
      modules: { ...modules, chat_user: { events: { onUserCreate: { handler: "welcome" } } } },
    },
    "server/server.js": code.replace("exports = {", "exports = {\n  welcome: function () {},"),
  };
};

/** Publishes an app by the command. @shape app: folder for its files, whose name is the app's @errors Error with the output of the command */
const publish = async (app: string, files: TestAppFiles, dataFolder: string): Promise<void> => {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(app, path)), { recursive: true });
    await writeFile(join(app, path), typeof content === "string" ? content : JSON.stringify(content));
  }
  const { status, stderr } = await callParley(["publish", app, "--json"], { env: { PARLEY_DATA: dataFolder } });
  if (status !== 0) throw new Error(stderr);
};

/** Publishes a version by the command. @shape folder: for the app's files @errors Error with the output of the command */
export const publishGreeter = (version: GreeterVersion, folder: string, dataFolder: string): Promise<void> =>
  publish(join(folder, version, "greeter"), appFiles(version), dataFolder);

/** Publishes the app surveys, which a test need not install. @shape folder: for the app's files @errors Error with the output of the command */
export const publishSurveys = (folder: string, dataFolder: string): Promise<void> => {
  const about = {
    name: "surveys",
    version: "2.3.0",
    description: "Asks customers for a rating after the last answer.",
  };
  return publish(join(folder, "surveys"), { ...appFiles("1.0.0"), "package.json": about }, dataFolder);
};
