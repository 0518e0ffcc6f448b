//! A program that speaks ACP, greets, and refuses to be prompted.

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tribunal_agents::{Acp, AgentError, Answer, Dialogue as _, Pipes};

use crate::cases::request;

/// What the agent's side of the talk comes to, if its prompt is answered with this.
pub(crate) fn heard(reply: &Value) -> Result<Answer, AgentError> {
    let acp = Acp { name: "writer".into(), program: String::new(), args: vec![], cwd: "/".into(), env: vec![] };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (incoming, outgoing) = tokio::io::split(ours);
        let (reader, mut writer) = tokio::io::split(theirs);
        let reply = reply.clone();
        tokio::spawn(async move {
            let mut lines = BufReader::new(reader).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                let Ok(asked) = serde_json::from_str::<Value>(&line) else { continue };
                let result = match asked["method"].as_str() {
                    Some("initialize") => {
                        json!({"result": {"protocolVersion": 1, "agentCapabilities": {}, "authMethods": []}})
                    }
                    Some("session/new") => json!({"result": {"sessionId": "s1"}}),
                    Some("session/prompt") => reply.clone(),
                    _ => continue,
                };
                let mut message = json!({"jsonrpc": "2.0", "id": asked["id"]});
                message.as_object_mut().unwrap().extend(result.as_object().unwrap().clone());
                let _ = writer.write_all(format!("{message}\n").as_bytes()).await;
            }
        });
        let pipes = Pipes { cwd: "/".into(), incoming: Box::new(incoming), outgoing: Box::new(outgoing) };
        acp.converse(request(None), pipes, &|_| {}).await
    })
}
