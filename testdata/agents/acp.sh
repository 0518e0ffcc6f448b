#!/bin/sh
# An agent that speaks ACP, as far as tests need it. Its argument is what it does instead of just answering; what it
# is told is kept in the file that ACP_LOG names.

case=${1:-answers}
session=sess-1

update() { printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"%s","update":%s}}\n' "$session" "$1"; }
say() { update "{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"$1\"}}"; }
tool() { update "{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"t1\",\"title\":\"$1\",\"kind\":\"$2\"}"; }
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
refuse() { printf '{"jsonrpc":"2.0","id":%s,"error":{"code":%s,"message":"%s"}}\n' "$id" "$1" "$2"; }
end() { answer "{\"stopReason\":\"$1\",\"usage\":{\"inputTokens\":100,\"outputTokens\":20,\"cachedReadTokens\":60,\"totalTokens\":180}}"; }

# Asks whether it may use a tool and says what it was told.
ask() {
    tool "$1" "$2"
    printf '{"jsonrpc":"2.0","id":77,"method":"session/request_permission","params":{"sessionId":"%s","toolCall":{"toolCallId":"t1","kind":"%s"},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]}}\n' "$session" "$2"
    read -r told
    heard "$told"
    case $told in
    *'"yes"'*) say "It was allowed." ;;
    *'"no"'*) say "It was rejected." ;;
    *) say "It was cancelled." ;;
    esac
}

prompted() {
    case $case in
    dies) echo "out of memory" >&2; exit 3 ;;
    leaves) exit 0 ;;
    hangs) say "One moment."; sleep 600 ;;
    stays) say "Done."; end end_turn; trap '' TERM; while :; do sleep 1; done ;;
    floods) while :; do say "all work and no play"; done ;;
    reads) say "I look."; ask "cat notes" read; end end_turn ;;
    writes) say "I write."; ask "touch x" edit; end end_turn ;;
    files) say "I need a file."; printf '{"jsonrpc":"2.0","id":78,"method":"fs/read_text_file","params":{"sessionId":"%s","path":"/etc/passwd"}}\n' "$session"; read -r told; heard "$told"; say "I do without."; end end_turn ;;
    silent) end end_turn ;;
    refuses) say "No."; end refusal ;;
    runs-out) say "It is lo"; end max_tokens ;;
    busy) refuse 503 "the model is overloaded" ;;
    bad-key) refuse 401 "API key not valid" ;;
    breaks) refuse -32603 "Internal error" ;;
    chatty) echo "Debugger attached."; say "Fine."; end end_turn ;;
    drafts) say '{\"done\": true, \"candidate\": '; say '{\"content\": \"Hello.\", \"format\": \"plain\"}}'; end end_turn ;;
    *) say "I look."; tool "cat notes" read; say "A plain "; say "answer."; end end_turn ;;
    esac
}

heard() { [ -z "$ACP_LOG" ] || echo "$1" >> "$ACP_LOG"; }

case $case in
garbage) echo "Usage: agent [OPTIONS]"; echo "  --help"; exit 0 ;;
mute) exec sleep 600 ;;
esac

while read -r line; do
    heard "$line"
    id=$(printf '%s' "$line" | sed -n 's/.*"id":\("[^"]*"\|[0-9]*\).*/\1/p')
    case $line in
    *'"initialize"'*)
        case $case in
        wrong-version) answer '{"protocolVersion":2}' ;;
        sees) answer '{"protocolVersion":1,"agentCapabilities":{"promptCapabilities":{"image":true}}}' ;;
        stranger) refuse -32601 "Method not found" ;;
        *) answer '{"protocolVersion":1,"agentCapabilities":{},"authMethods":[{"id":"web","name":"Log in on the web"}]}' ;;
        esac ;;
    *'"session/new"'*)
        case $case in
        logged-out) refuse -32000 "Authentication required" ;;
        lists-models|unknown-model) answer "{\"sessionId\":\"$session\",\"models\":{\"availableModels\":[{\"modelId\":\"big\"},{\"modelId\":\"small\"}]}}" ;;
        options) answer "{\"sessionId\":\"$session\",\"configOptions\":[{\"id\":\"llm\",\"name\":\"Model\",\"category\":\"model\",\"type\":\"select\",\"currentValue\":\"a\",\"options\":[{\"value\":\"a\",\"name\":\"A\"}]}]}" ;;
        *) answer "{\"sessionId\":\"$session\"}" ;;
        esac ;;
    *'"session/set_'*)
        case $case in
        unknown-model) refuse -32602 "no such model" ;;
        *) answer '{"configOptions":[]}' ;;
        esac ;;
    *'"session/prompt"'*) prompted ;;
    esac
done
