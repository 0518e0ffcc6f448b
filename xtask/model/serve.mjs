// A small model behind the Chat Completions wire, on the loopback: `node serve.mjs FOLDER MODEL.gguf`.
// FOLDER is where the packages of package.json are installed. Prints the port as its first line.
import { createServer } from "node:http";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, file] = process.argv.slice(2);
// The packages are not beside this file, so they cannot be imported by their name.
const library = resolve(folder, "node_modules/node-llama-cpp/dist/index.js");
const { getLlama, LlamaChat, LlamaLogLevel, ChatMLChatWrapper } = await import(pathToFileURL(library));

// Prebuilt or nothing: a test does not compile llama.cpp.
const llama = await getLlama({ gpu: false, maxThreads: 1, build: "never", logLevel: LlamaLogLevel.error });
const model = await llama.loadModel({ modelPath: resolve(file) });
// As much as it was trained with: nothing of our prompts has to be cut.
const CONTEXT = 8192;
const context = await model.createContext({ contextSize: CONTEXT, threads: 1 });
const sequence = context.getSequence();

/** One call at a time: there is one sequence. */
let before = Promise.resolve();
const inTurn = (work) => (before = before.then(work, work));

const text = (content) =>
  typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("\n");

/** What there is no room for is cut from the middle: the task is at the end, and who asks at the beginning. */
function fitting(words, room) {
  const tokens = model.tokenize(words);
  if (tokens.length <= room) return words;
  const half = Math.floor(room / 2);
  return `${model.detokenize(tokens.slice(0, half))}\n…\n${model.detokenize(tokens.slice(-half))}`;
}

/** A schema whose answers fit into the few tokens there are. */
function small(schema) {
  if (Array.isArray(schema)) return schema.map(small);
  if (schema === null || typeof schema !== "object") return schema;
  const kept = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, small(value)]));
  const types = [kept.type].flat();
  if (types.includes("string") && !kept.enum && !("const" in kept)) kept.maxLength = Math.min(kept.maxLength ?? 60, 60);
  if (types.includes("array")) kept.maxItems = Math.min(kept.maxItems ?? 2, 2);
  return kept;
}

/** Models whose name ends with `-held` cannot but answer in the form they are asked for; others say what they like. */
async function form(asked) {
  const schema = asked.response_format?.json_schema?.schema;
  if (!schema || !String(asked.model).endsWith("-held")) return undefined;
  return llama.createGrammarForJsonSchema(small(schema));
}

// The schema keeps held answers short; one that says what it likes ends here.
const MOST = 512;

async function answer(asked, signal) {
  const most = Math.min(Number(asked.max_completion_tokens ?? asked.max_tokens ?? MOST), MOST);
  const room = CONTEXT - most - 64;
  const said = (role) => asked.messages.filter((one) => one.role === role).map((one) => text(one.content)).join("\n\n");
  const system = fitting([said("system"), said("developer")].join(""), Math.floor(room / 2));
  const user = fitting(said("user"), room - model.tokenize(system).length);
  const history = [
    { type: "system", text: system },
    { type: "user", text: user },
    { type: "model", response: [] },
  ];
  const chat = new LlamaChat({ contextSequence: sequence, chatWrapper: new ChatMLChatWrapper() });
  const start = sequence.tokenMeter.getState();
  try {
    const given = await chat.generateResponse(history, {
      maxTokens: most,
      grammar: await form(asked),
      temperature: asked.temperature ?? 0.8,
      seed: asked.seed ?? Math.floor(Math.random() * 2 ** 31),
      signal,
      stopOnAbortSignal: true,
    });
    const used = sequence.tokenMeter.diff(start);
    const prompt = model.tokenize(system).length + model.tokenize(user).length;
    return {
      words: given.response,
      reason: given.metadata.stopReason === "maxTokens" ? "length" : "stop",
      usage: { prompt_tokens: prompt, completion_tokens: used.usedOutputTokens, total_tokens: prompt + used.usedOutputTokens },
    };
  } finally {
    chat.dispose({ disposeSequence: false });
  }
}

const server = createServer((request, response) => {
  const parts = [];
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  request.on("data", (part) => parts.push(part));
  request.on("end", () =>
    inTurn(async () => {
      if (gone.signal.aborted) return;
      try {
        const asked = JSON.parse(Buffer.concat(parts).toString());
        const { words, reason, usage } = await answer(asked, gone.signal);
        const id = `chat-${Date.now()}`;
        if (asked.stream) {
          response.writeHead(200, { "content-type": "text/event-stream" });
          const send = (value) => response.write(`data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`);
          const piece = (delta, finish_reason = null) =>
            ({ id, object: "chat.completion.chunk", model: asked.model, choices: [{ index: 0, delta, finish_reason }] });
          send(piece({ role: "assistant", content: words }));
          send(piece({}, reason));
          send({ id, object: "chat.completion.chunk", model: asked.model, choices: [], usage });
          send("[DONE]");
          response.end();
        } else {
          const choices = [{ index: 0, finish_reason: reason, message: { role: "assistant", content: words } }];
          response.writeHead(200, { "content-type": "application/json" });
          response.end(JSON.stringify({ id, object: "chat.completion", model: asked.model, choices, usage }));
        }
      } catch (error) {
        if (!response.headersSent) response.writeHead(500, { "content-type": "application/json" });
        response.end(JSON.stringify({ error: { message: String(error?.message ?? error) } }));
      }
    }),
  );
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
// Who started it holds its stdin: it ends with them.
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
