//! Tables: what is asked of each runner, what is read from it, and which tricks are seen.

mod adapting;
mod planning;
mod reports;
mod tricks;
