//! `tribunal agents controls`: how many known faults judges notice.

use serde_json::{Value, json};
use tribunal_app::control_set::{self, TriedJudge};
use tribunal_app::{AppError, Exit, Project};
use tribunal_kernel::grade::interval;

use crate::args::{ControlsArgs, Global};
use crate::commands::print_json;

pub(super) async fn controls(project: &Project, global: &Global, args: &ControlsArgs) -> Result<Exit, AppError> {
    project.console.say(&format!("{} calls for each agent; real agents cost money", control_set::calls()));
    let tried = control_set::try_judges(project, &args.names).await?;
    if global.json {
        print_json(&json!({ "agents": tried.iter().map(object).collect::<Vec<_>>() }));
    } else {
        for judge in &tried {
            let model = judge.model.as_deref().map(|model| format!(" ({model})")).unwrap_or_default();
            let told = judge.rate.as_ref().map_or_else(|why| format!("not tried: {why}"), ToString::to_string);
            println!("{}{model}: {told}", judge.agent);
        }
    }
    Ok(if tried.iter().all(|judge| judge.rate.is_ok()) { Exit::Pass } else { Exit::Failed })
}

fn object(judge: &TriedJudge) -> Value {
    let mut object = json!({ "agent": judge.agent, "model": judge.model });
    match &judge.rate {
        Err(why) => object["error"] = json!(why),
        Ok(rate) => {
            object["rate"] = json!(rate);
            object["catch_interval"] = json!(interval(rate.caught, rate.faults));
            object["alarm_interval"] = json!(interval(rate.alarms, rate.fair));
        }
    }
    object
}
