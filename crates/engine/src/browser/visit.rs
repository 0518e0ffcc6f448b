//! One page, from its address to its snapshots.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use tokio::time::{Instant, timeout_at};
use tribunal_checks::seen::{Picture, STYLES, Snapshot, View};

use super::error::LookError;
use super::look::{PageVisit, VisitSeen, Window};
use super::picture;
use super::site::{Served, Site};
use super::wire::{Message, Wire, WireEvent, typed};
use super::{CONTROL_LIMIT, LOAD_LIMIT, PICTURE_LIMIT, REQUEST_LIMIT, SETTLING};

/// The height of the window.
const HEIGHT: u32 = 800;
/// What is said of requests is listed up to this number.
const MAX_TOLD: usize = 50;
/// The page at rest: nothing moves, and what would move is where it ends.
const AT_REST: &str = "*, *::before, *::after { transition: none !important; animation-duration: 1ms !important; \
    animation-delay: 0s !important; animation-iteration-count: 1 !important; scroll-behavior: auto !important; \
    caret-color: transparent !important; }";

/// One page in one tab.
#[derive(Debug)]
pub(super) struct Tab<'b> {
    wire: &'b mut Wire,
    site: &'b Site,
    page: &'b PageVisit,
    target: String,
    session: String,
    address: String,
    is_loaded: bool,
    requests: usize,
    takes_pictures: bool,
    ignored: BTreeSet<u64>,
    seen: VisitSeen,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Target {
    target_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Attached {
    session_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Navigated {
    frame_id: String,
    #[serde(default)]
    error_text: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SheetMade {
    style_sheet_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Numbers {
    node_ids: Vec<i64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Evaluated {
    #[serde(default)]
    result: Value,
    exception_details: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LayoutMetrics {
    css_content_size: ContentSize,
}

#[derive(Deserialize)]
struct ContentSize {
    width: f64,
    height: f64,
}

#[derive(Deserialize)]
struct PictureTaken {
    data: String,
}

/// Whether the browser is there and listens.
pub(super) async fn greet(wire: &mut Wire) -> Result<(), LookError> {
    let id = wire.send(None, "Browser.getVersion", json!({})).await?;
    loop {
        if let Message::Answer { id: other, result } = wire.receive().await?
            && other == id
        {
            let refused = |message| LookError::Refused { method: "Browser.getVersion".to_owned(), message };
            return result.map(drop).map_err(refused);
        }
    }
}

impl<'b> Tab<'b> {
    /// Sees a page in all the windows that were asked for.
    pub(super) async fn visit(
        wire: &'b mut Wire,
        site: &'b Site,
        page: &'b PageVisit,
        takes_pictures: bool,
    ) -> Result<VisitSeen, LookError> {
        let outside = || LookError::Outside { page: page.file.display().to_string() };
        let address = site.address(&page.file).ok_or_else(outside)?;
        let mut tab = Self {
            wire,
            site,
            page,
            target: String::new(),
            session: String::new(),
            address,
            is_loaded: false,
            requests: 0,
            takes_pictures,
            ignored: BTreeSet::new(),
            seen: VisitSeen::default(),
        };
        tab.open().await?;
        let looked = tab.look().await;
        // A page that hangs cannot be closed either, and goes with its browser.
        if let Err(error) = looked {
            if !error.is_final() {
                tab.close().await?;
            }
            return Err(error);
        }
        tab.close().await?;
        Ok(tab.seen)
    }

    async fn open(&mut self) -> Result<(), LookError> {
        self.wire.events.clear();
        let made = self.browser("Target.createTarget", json!({ "url": "about:blank" })).await?;
        self.target = typed::<Target>("Target.createTarget", &made)?.target_id;
        let to = json!({ "targetId": self.target, "flatten": true });
        let attached = self.browser("Target.attachToTarget", to).await?;
        self.session = typed::<Attached>("Target.attachToTarget", &attached)?.session_id;
        let no_downloads = json!({ "behavior": "deny" });
        self.browser("Browser.setDownloadBehavior", no_downloads).await?;
        for (method, params) in [
            ("Page.enable", json!({})),
            ("DOM.enable", json!({})),
            ("CSS.enable", json!({})),
            ("Inspector.enable", json!({})),
            ("DOMSnapshot.enable", json!({})),
            ("Fetch.enable", json!({ "patterns": [{ "urlPattern": "*" }] })),
            ("Emulation.setFocusEmulationEnabled", json!({ "enabled": true })),
        ] {
            self.call(method, params).await?;
        }
        Ok(())
    }

    async fn close(&mut self) -> Result<(), LookError> {
        let target = json!({ "targetId": self.target });
        self.browser("Target.closeTarget", target).await.map(drop)
    }

    async fn look(&mut self) -> Result<(), LookError> {
        for (number, window) in self.page.windows.clone().into_iter().enumerate() {
            self.set(window).await?;
            if number == 0 {
                self.load().await?;
            }
            self.settle().await?;
            let rest = self.snapshot().await?;
            if self.takes_pictures {
                let picture = self.picture().await?;
                self.seen.pictures.push(picture);
            }
            // What shows the focus is asked for once.
            let focused = if number == 0 && self.page.focus { self.focused(&rest).await? } else { None };
            self.seen.views.push(View { width: window.width, dark: window.dark, rest, focused });
        }
        for script in self.page.scripts.clone() {
            let answer = self.evaluate(&script).await?;
            self.seen.answers.push(answer);
        }
        Ok(())
    }

    async fn set(&mut self, window: Window) -> Result<(), LookError> {
        let size = json!({ "width": window.width, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size).await?;
        let scheme = if window.dark { "dark" } else { "light" };
        let media = json!({ "media": "screen", "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.call("Emulation.setEmulatedMedia", media).await.map(drop)
    }

    async fn load(&mut self) -> Result<(), LookError> {
        let until = Instant::now() + LOAD_LIMIT;
        let late = |_| LookError::NotLoaded { after: LOAD_LIMIT };
        let to = json!({ "url": self.address });
        let answer = timeout_at(until, self.call("Page.navigate", to)).await.map_err(late)??;
        let navigated = typed::<Navigated>("Page.navigate", &answer)?;
        if !navigated.error_text.is_empty() {
            return Err(LookError::Refused { method: "Page.navigate".to_owned(), message: navigated.error_text });
        }
        while !self.is_loaded {
            timeout_at(until, self.pump()).await.map_err(late)??;
        }
        let frame = json!({ "frameId": navigated.frame_id });
        let made = self.call("CSS.createStyleSheet", frame).await?;
        let sheet = typed::<SheetMade>("CSS.createStyleSheet", &made)?.style_sheet_id;
        let text = json!({ "styleSheetId": sheet, "text": AT_REST });
        self.call("CSS.setStyleSheetText", text).await.map(drop)
    }

    /// Answers what the page still asks for.
    async fn settle(&mut self) -> Result<(), LookError> {
        let until = Instant::now() + SETTLING;
        loop {
            match timeout_at(until, self.pump()).await {
                Ok(pumped) => pumped?,
                Err(_) => return Ok(()),
            }
        }
    }

    async fn snapshot(&mut self) -> Result<Snapshot, LookError> {
        let wanted = json!({
            "computedStyles": STYLES,
            "includePaintOrder": true,
            "includeDOMRects": false,
            "includeBlendedBackgroundColors": false,
            "includeTextColorOpacities": false,
        });
        let answer = self.call("DOMSnapshot.captureSnapshot", wanted).await?;
        Ok(Snapshot::read(answer.get())?)
    }

    /// The whole page as it is painted, down to [`PICTURE_LIMIT`].
    async fn picture(&mut self) -> Result<Picture, LookError> {
        let metrics = self.call("Page.getLayoutMetrics", json!({})).await?;
        let size = typed::<LayoutMetrics>("Page.getLayoutMetrics", &metrics)?.css_content_size;
        let height = size.height.ceil().clamp(1.0, f64::from(PICTURE_LIMIT));
        let width = size.width.ceil().clamp(1.0, f64::from(PICTURE_LIMIT));
        let clip = json!({ "x": 0, "y": 0, "width": width, "height": height, "scale": 1 });
        let wanted = json!({ "format": "png", "clip": clip, "captureBeyondViewport": true, "optimizeForSpeed": true });
        let answer = self.call("Page.captureScreenshot", wanted).await?;
        let taken = typed::<PictureTaken>("Page.captureScreenshot", &answer)?;
        picture::read(&taken.data).map_err(|what| LookError::Garbage { what: format!("a picture: {what}") })
    }

    /// The page with every control focused at once. Nothing where there is none.
    async fn focused(&mut self, rest: &Snapshot) -> Result<Option<Snapshot>, LookError> {
        let points = rest.focus_points();
        if points.controls.is_empty() || points.controls.len() > CONTROL_LIMIT {
            return Ok(None);
        }
        // Numbers that the browser gives out anew for every page; it has to know the document before.
        self.call("DOM.getDocument", json!({ "depth": 0 })).await?;
        let states = [
            (points.around, json!(["focus-within"])),
            (points.controls, json!(["focus", "focus-visible", "focus-within"])),
        ];
        for (nodes, state) in states {
            let asked = json!({ "backendNodeIds": nodes });
            let answer = self.call("DOM.pushNodesByBackendIdsToFrontend", asked).await?;
            let numbers = typed::<Numbers>("DOM.pushNodesByBackendIdsToFrontend", &answer)?.node_ids;
            for number in numbers.into_iter().filter(|number| *number > 0) {
                let forced = json!({ "nodeId": number, "forcedPseudoClasses": state });
                self.forget("CSS.forcePseudoState", forced).await?;
            }
        }
        let seen = self.snapshot().await?;
        // The page as it was, for whoever looks next.
        self.call("CSS.disable", json!({})).await?;
        self.call("CSS.enable", json!({})).await?;
        Ok(Some(seen))
    }

    async fn evaluate(&mut self, script: &str) -> Result<Value, LookError> {
        let asked = json!({ "expression": script, "awaitPromise": true, "returnByValue": true });
        let answer = self.call("Runtime.evaluate", asked).await?;
        let evaluated = typed::<Evaluated>("Runtime.evaluate", &answer)?;
        match evaluated.exception_details {
            Some(details) => {
                Err(LookError::Refused { method: "Runtime.evaluate".to_owned(), message: details.to_string() })
            }
            None => Ok(evaluated.result["value"].clone()),
        }
    }

    async fn browser(&mut self, method: &str, params: Value) -> Result<Box<RawValue>, LookError> {
        let id = self.wire.send(None, method, params).await?;
        self.answer(id, method).await
    }

    async fn call(&mut self, method: &str, params: Value) -> Result<Box<RawValue>, LookError> {
        let session = self.session.clone();
        let id = self.wire.send(Some(&session), method, params).await?;
        self.answer(id, method).await
    }

    /// Sends something whose answer nobody waits for.
    async fn forget(&mut self, method: &str, params: Value) -> Result<(), LookError> {
        let session = self.session.clone();
        let id = self.wire.send(Some(&session), method, params).await?;
        self.ignored.insert(id);
        Ok(())
    }

    async fn answer(&mut self, wanted: u64, method: &str) -> Result<Box<RawValue>, LookError> {
        loop {
            match self.wire.receive().await? {
                Message::Event => self.handle_events().await?,
                Message::Answer { id, result } if id == wanted => {
                    return result.map_err(|message| LookError::Refused { method: method.to_owned(), message });
                }
                Message::Answer { id, .. } => drop(self.ignored.remove(&id)),
            }
        }
    }

    /// Takes one message.
    async fn pump(&mut self) -> Result<(), LookError> {
        match self.wire.receive().await? {
            Message::Event => self.handle_events().await,
            Message::Answer { id, .. } => {
                self.ignored.remove(&id);
                Ok(())
            }
        }
    }

    async fn handle_events(&mut self) -> Result<(), LookError> {
        while let Some(event) = self.wire.events.pop_front() {
            if event.session.as_deref() == Some(self.session.as_str()) {
                self.handle(event).await?;
            }
        }
        Ok(())
    }

    async fn handle(&mut self, event: WireEvent) -> Result<(), LookError> {
        match event.method.as_str() {
            "Page.loadEventFired" => self.is_loaded = true,
            "Inspector.targetCrashed" => return Err(LookError::Crashed),
            // Nobody is there to answer.
            "Page.javascriptDialogOpening" => {
                self.forget("Page.handleJavaScriptDialog", json!({ "accept": false })).await?;
            }
            "Fetch.requestPaused" => self.serve(&event.params).await?,
            _ => {}
        }
        Ok(())
    }

    async fn serve(&mut self, asked: &Value) -> Result<(), LookError> {
        let id = asked["requestId"].as_str().unwrap_or_default().to_owned();
        let address = asked["request"]["url"].as_str().unwrap_or_default().to_owned();
        self.requests += 1;
        let is_page = asked["resourceType"].as_str() == Some("Document");
        let is_own = address.split('#').next() == Some(self.address.as_str());
        let is_main = self.page.text.is_some() && is_own;
        // A page that goes elsewhere, by itself or in a frame of another site, stays where it is.
        let leaves = is_page && !is_own && asked["frameId"].as_str() == Some(self.target.as_str());
        let served = match &self.page.text {
            _ if leaves || self.requests > REQUEST_LIMIT => Served::Refused,
            Some(text) if is_main => Served::File { body: text.clone().into_bytes(), kind: "text/html; charset=utf-8" },
            _ => self.site.serve(&address),
        };
        // A sheet that somebody reads in a frame is none of the page's.
        let is_sheet = asked["resourceType"].as_str() == Some("Stylesheet")
            && asked["frameId"].as_str() == Some(self.target.as_str());
        if is_sheet && matches!(served, Served::Nothing | Served::Refused) {
            tell(&mut self.seen.unread_sheets, &address);
        }
        match served {
            Served::File { body, kind } => {
                let headers = json!([{ "name": "Content-Type", "value": kind }, { "name": "Access-Control-Allow-Origin", "value": "*" }]);
                let answer =
                    json!({ "requestId": id, "responseCode": 200, "responseHeaders": headers, "body": base64(&body) });
                self.forget("Fetch.fulfillRequest", answer).await
            }
            Served::Nothing => {
                // Nobody wrote that a page has a picture of this name.
                if !address.ends_with("/favicon.ico") {
                    tell(&mut self.seen.missing, &address);
                }
                self.forget("Fetch.fulfillRequest", json!({ "requestId": id, "responseCode": 404 })).await
            }
            Served::Refused => {
                if !leaves {
                    tell(&mut self.seen.refused, &address);
                }
                let reason = if leaves { "Aborted" } else { "BlockedByClient" };
                self.forget("Fetch.failRequest", json!({ "requestId": id, "errorReason": reason })).await
            }
        }
    }
}

fn tell(list: &mut Vec<String>, address: &str) {
    if list.len() < MAX_TOLD && !list.iter().any(|other| other == address) {
        list.push(address.to_owned());
    }
}

/// The usual alphabet, with padding.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0_u32, |group, byte| group << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            if place <= chunk.len() {
                out.push(char::from(LETTERS[(group >> (18 - 6 * place) & 63) as usize]));
            } else {
                out.push('=');
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_letters() {
        for (bytes, want) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64(bytes.as_bytes()), want);
        }
        assert_eq!(base64(&[255, 254]), "//4=");
    }
}
