// When a session is idle, `tribunal judge` tries what it changed; what does not hold is sent back with the reasons.
import { spawn } from "node:child_process";

const judged = (cwd, event, flag = "--stop-hook") =>
  new Promise((resolve) => {
    const child = spawn("tribunal", ["judge", flag, "opencode"], { cwd, stdio: ["pipe", "pipe", "ignore"] });
    let text = "";
    child.stdout.on("data", (piece) => (text += piece));
    child.on("error", () => resolve({ systemMessage: "Tribunal did not judge this change: `tribunal` is not on the PATH" }));
    child.on("close", () => {
      try {
        resolve(JSON.parse(text));
      } catch {
        resolve({ systemMessage: "Tribunal did not judge this change: it gave no answer" });
      }
    });
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(event));
  });

export const TribunalStop = async ({ client, directory, worktree }) => {
  const busy = new Set();
  return {
    event: async ({ event }) => {
      if (event.type === "session.created") {
        // What the work will be held against is noted before it begins.
        const { id, parentID } = event.properties.info ?? {};
        const cwd = directory || worktree || process.cwd();
        if (id && !parentID) await judged(cwd, { session_id: id, cwd }, "--session-start");
        return;
      }
      if (event.type !== "session.idle") return;
      const id = event.properties.sessionID;
      if (busy.has(id)) return;
      busy.add(id);
      let said = {};
      try {
        // What a session does for another one is judged when that one is done.
        const session = await client.session.get({ path: { id } });
        if (session.data?.parentID) return;
        const cwd = directory || worktree || process.cwd();
        said = await judged(cwd, { session_id: id, cwd, stop_hook_active: true });
      } finally {
        busy.delete(id);
      }
      if (said.decision === "block") {
        // Not awaited: the next time that it is idle comes before this is answered.
        client.session.prompt({ path: { id }, body: { parts: [{ type: "text", text: said.reason }] } }).catch(() => {});
      } else if (said.systemMessage) {
        await client.app.log({ body: { service: "tribunal", level: "info", message: said.systemMessage } });
      }
    },
  };
};
