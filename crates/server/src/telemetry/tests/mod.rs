//! What is told of whole runs, played by the engine with agents that follow a script.

mod collector;
mod dashboard;
mod journal;
mod metrics;
mod otlp;
mod plays;
mod traces;
